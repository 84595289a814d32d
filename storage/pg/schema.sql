-- The schema of one bot, version 1. {} stands for its name.

CREATE TABLE {}.version (number int NOT NULL);
INSERT INTO {}.version VALUES (1);

-- What the store keeps. The revision is that of the row's last change.
CREATE TABLE {}.rows (
	key      bytea  PRIMARY KEY,
	value    bytea  NOT NULL,
	revision bigint NOT NULL
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- The changes of the last minute, in the order in which they were made, and the newest of before. Each is a receipt
-- of its sender too.
CREATE TABLE {}.changes (
	revision bigint      PRIMARY KEY,
	at       timestamptz NOT NULL DEFAULT clock_timestamp(),
	sender   bigint      NOT NULL,
	batch    bigint      NOT NULL, -- of its sender
	part     int         NOT NULL, -- of the batch, from 1 on
	keys     bytea[]     NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
INSERT INTO {}.changes (revision, sender, batch, part, keys) VALUES (0, 0, 0, 0, ARRAY[]::bytea[]);

-- The processes that write. What a sender sent under an older epoch is not made any more.
CREATE TABLE {}.senders (
	id       bigint      PRIMARY KEY,
	epoch    bigint      NOT NULL,
	until    timestamptz NOT NULL,
	lives    interval    NOT NULL, -- after its last sign
	announce bytea
);

-- Who takes part in the work of a group, and who holds which of its slots.
CREATE TABLE {}.members (
	team     text        NOT NULL,
	name     bigint      NOT NULL,
	until    timestamptz NOT NULL,
	lives    interval    NOT NULL,
	announce bytea,
	PRIMARY KEY (team, name)
);
CREATE TABLE {}.slots (
	team   text   NOT NULL,
	slot   int    NOT NULL,
	holder bigint NOT NULL,
	made   bigint NOT NULL, -- another number each time that the slot is taken
	PRIMARY KEY (team, slot)
);

-- Whoever writes has the lock of this table, so that writes are made one after the other. It has no rows.
CREATE TABLE {}.turn ();

-- begin waits until it is the turn of this transaction, which then waits for its disk, and says so when it does not wait
-- for its standby, whatever the settings of the role are by now. Each statement after this one must see what was
-- written before.
CREATE FUNCTION {}.begin() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION 'the isolation is %, and must be read committed', current_setting('transaction_isolation')
			USING ERRCODE = 'object_not_in_prerequisite_state';
	END IF;
	IF current_setting('synchronous_commit') = 'off' THEN
		PERFORM set_config('synchronous_commit', 'on', true);
	END IF;
	PERFORM set_config('client_min_messages', 'warning', true);
	LOCK TABLE {}.turn IN EXCLUSIVE MODE;
END $$;

-- commit makes the parts of a batch, each if nothing that it has read has changed, and gives for each its revision,
-- 0 if it must run again, or -1 if its fence does not hold. No part has anything to do with a row that
-- an earlier part writes, so all are held against the same state. It gives no rows if the sender is not as it was.
CREATE FUNCTION {}.commit(
	me bigint, my_epoch bigint, my_batch bigint, parts int,
	read_parts int[], read_keys bytea[], read_revisions bigint[],
	span_parts int[], span_froms bytea[], span_tos bytea[], span_counts bigint[], span_lasts bigint[],
	fence_parts int[], fence_teams text[], fence_slots int[], fence_mades bigint[],
	write_parts int[], write_keys bytea[], write_values bytea[] -- NULL deletes
) RETURNS SETOF bigint LANGUAGE plpgsql
-- Each row is looked up by its key, however few there were when the plan was made.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off SET lock_timeout = '2s' AS $$
DECLARE
	base bigint;
	unfenced int[]; stale int[]; failed int[];
BEGIN
	PERFORM {}.begin();
	IF NOT EXISTS (SELECT FROM {}.senders WHERE id = me AND epoch = my_epoch AND until > clock_timestamp()) THEN
		RETURN;
	END IF;
	-- A change that is lost with its server may have been read. The step is random, so that no other change gets its
	-- revision on the next server.
	SELECT max(revision) + floor(random() * 1048576)::bigint INTO base FROM {}.changes;
	SELECT coalesce(array_agg(part), ARRAY[]::int[]) INTO unfenced
		FROM unnest(fence_parts, fence_teams, fence_slots, fence_mades) AS fence (part, t, n, number)
		WHERE NOT EXISTS (
			SELECT FROM {}.slots JOIN {}.members ON members.team = slots.team AND name = holder
			WHERE slots.team = t AND slot = n AND made = number AND until > clock_timestamp());
	SELECT coalesce(array_agg(part), ARRAY[]::int[]) INTO stale FROM (
		SELECT part FROM unnest(read_parts, read_keys, read_revisions) AS read (part, k, was)
		WHERE was <> coalesce((SELECT revision FROM {}.rows WHERE key = k), 0)
	UNION ALL
		SELECT part FROM unnest(span_parts, span_froms, span_tos, span_counts, span_lasts) AS span (part, f, t, had, newest),
			LATERAL (SELECT count(*) AS n, coalesce(max(revision), 0) AS last FROM {}.rows WHERE key >= f AND key < t) AS now
		WHERE n <> had OR last <> newest
	) AS changed;
	failed := unfenced || stale;
	INSERT INTO {}.rows SELECT k, v, base + part
		FROM unnest(write_parts, write_keys, write_values) AS wrote (part, k, v) WHERE v IS NOT NULL AND part <> ALL (failed)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision;
	DELETE FROM {}.rows WHERE key IN (SELECT k
		FROM unnest(write_parts, write_keys, write_values) AS wrote (part, k, v) WHERE v IS NULL AND part <> ALL (failed));
	INSERT INTO {}.changes (revision, sender, batch, part, keys)
		SELECT base + p, me, my_batch, p, array_agg(k) FROM unnest(write_parts, write_keys) AS wrote (p, k)
		WHERE p <> ALL (failed) GROUP BY p;
	RETURN QUERY SELECT CASE WHEN n = ANY (unfenced) THEN -1 WHEN n = ANY (stale) THEN 0 ELSE base + n END
		FROM generate_series(1, parts) AS n ORDER BY n;
END $$;

-- settle finds out what became of a batch without an answer. Either the batch was made before, or, under its old epoch,
-- it never will be. It writes in any case: its own commit shows that what it saw is as durable.
-- It gives nothing, not even the row of part 0, if the sender is gone.
CREATE FUNCTION {}.settle(me bigint, new_epoch bigint, my_batch bigint)
RETURNS TABLE (part_ int, revision_ bigint) LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
	PERFORM {}.begin();
	UPDATE {}.senders SET epoch = greatest(epoch, new_epoch) WHERE id = me;
	IF FOUND THEN
		RETURN QUERY SELECT 0, 0::bigint UNION ALL
			SELECT part, revision FROM {}.changes WHERE sender = me AND batch = my_batch;
	END IF;
END $$;

-- beat keeps a sender, or makes it with the epoch 0, and takes away senders that have not been heard of: false if the
-- sender itself is gone. None lives longer from now on than after a sign, whatever the clock was. A new sender says which
-- version its program knows, and is not made in another: newer programs may have raised the schema. NULL: it is not new.
CREATE FUNCTION {}.beat(me bigint, knows int, said bytea, my_lives interval)
RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
	here boolean;
BEGIN
	PERFORM {}.begin();
	INSERT INTO {}.senders SELECT me, 0, clock_timestamp() + my_lives, my_lives, said FROM {}.version
		WHERE number = knows ON CONFLICT (id) DO NOTHING;
	UPDATE {}.senders SET until = clock_timestamp() + lives WHERE id = me OR until > clock_timestamp() + lives;
	DELETE FROM {}.senders WHERE until < clock_timestamp();
	SELECT EXISTS (SELECT FROM {}.senders WHERE id = me) INTO here;
	RETURN here;
END $$;

-- share keeps a member of a group, takes away members that have not been heard of, and gives all members, with slot -1,
-- and all slots that are held. Its own member is among them if it is not gone. A new one is made as in beat.
CREATE FUNCTION {}.share(my_team text, me bigint, knows int, said bytea, my_lives interval)
RETURNS TABLE (slot_ int, name_ bigint, made_ bigint) LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
	PERFORM {}.begin();
	DELETE FROM {}.members WHERE until < clock_timestamp();
	DELETE FROM {}.slots WHERE NOT EXISTS (SELECT FROM {}.members WHERE members.team = slots.team AND name = holder);
	INSERT INTO {}.members SELECT my_team, me, clock_timestamp() + my_lives, my_lives, said FROM {}.version
		WHERE number = knows ON CONFLICT (team, name) DO NOTHING;
	-- A clock that was put back, or that of the next server, must not have the dead live on.
	UPDATE {}.members SET until = clock_timestamp() + lives
		WHERE team = my_team AND name = me OR until > clock_timestamp() + lives;
	RETURN QUERY SELECT -1, name, 0::bigint FROM {}.members WHERE team = my_team
		UNION ALL SELECT slot, holder, made FROM {}.slots WHERE team = my_team;
END $$;

-- take takes the free ones among slots for a member, and gives those that it took.
CREATE FUNCTION {}.take(my_team text, me bigint, wanted int[], number bigint)
RETURNS SETOF int LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
	PERFORM {}.begin();
	RETURN QUERY INSERT INTO {}.slots
		SELECT my_team, n, me, number FROM unnest(wanted) AS n
		WHERE EXISTS (SELECT FROM {}.members WHERE team = my_team AND name = me AND until > clock_timestamp())
		ON CONFLICT (team, slot) DO NOTHING RETURNING slot;
END $$;
