-- The schema of one bot, version 1. {} stands for its name.

CREATE TABLE {}.version (number int NOT NULL);
INSERT INTO {}.version VALUES (1);

-- What the store keeps. The revision is that of the row's last change.
CREATE TABLE {}.rows (
	key      bytea  PRIMARY KEY,
	value    bytea  NOT NULL,
	revision bigint NOT NULL
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- The changes of the last minutes, in the order in which they were made; the newest stays. Each is a receipt of
-- its sender too.
CREATE TABLE {}.changes (
	revision bigint      PRIMARY KEY,
	at       timestamptz NOT NULL DEFAULT clock_timestamp(),
	sender   bigint      NOT NULL,
	batch    bigint      NOT NULL, -- of its sender
	part     int         NOT NULL, -- of the batch, from 1 on
	keys     bytea[]     NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The processes that write. What a sender sent under an older epoch is not made any more.
CREATE TABLE {}.senders (
	id       bigint      PRIMARY KEY,
	epoch    bigint      NOT NULL,
	until    timestamptz NOT NULL,
	announce bytea
);

-- Who takes part in the work of a group, and who holds which of its slots.
CREATE TABLE {}.members (
	team     text        NOT NULL,
	name     bigint      NOT NULL,
	until    timestamptz NOT NULL,
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

-- commit makes the parts of a batch one after the other, each if nothing that it has read has changed, and gives for each
-- its revision, 0 if it must run again, or -1 if its fence does not hold. The arrays of all parts stand
-- one behind the other; the ends say where those of a part end. It gives no rows if the sender is not as it was.
CREATE FUNCTION {}.commit(
	me bigint, my_epoch bigint, my_batch bigint,
	read_ends int[], read_keys bytea[], read_revisions bigint[],
	span_ends int[], span_froms bytea[], span_tos bytea[], span_counts bigint[], span_lasts bigint[],
	fence_teams text[], fence_slots int[], fence_mades bigint[],
	write_ends int[], write_keys bytea[], write_values bytea[]
) RETURNS SETOF bigint LANGUAGE plpgsql
SET enable_seqscan = off SET lock_timeout = '2s' AS $$
DECLARE
	revision_ bigint;
	r int := 0; s int := 0; w int := 0; -- where the arrays of the part begin, less one
	r_end int; s_end int; w_end int;
BEGIN
	LOCK TABLE {}.turn IN EXCLUSIVE MODE;
	IF NOT EXISTS (SELECT FROM {}.senders WHERE id = me AND epoch = my_epoch AND until > clock_timestamp()) THEN
		RETURN;
	END IF;
	SELECT coalesce(max(revision), 0) INTO revision_ FROM {}.changes;
	FOR part_ IN 1 .. cardinality(read_ends) LOOP
		r_end := read_ends[part_]; s_end := span_ends[part_]; w_end := write_ends[part_];
		IF fence_teams[part_] <> '' AND NOT EXISTS (
			SELECT FROM {}.slots JOIN {}.members ON members.team = slots.team AND name = holder
			WHERE slots.team = fence_teams[part_] AND slot = fence_slots[part_] AND made = fence_mades[part_]
				AND until > clock_timestamp()
		) THEN
			RETURN NEXT -1;
		ELSIF EXISTS (
			SELECT FROM unnest(read_keys[r + 1 : r_end], read_revisions[r + 1 : r_end]) AS read (k, was)
			WHERE was <> coalesce((SELECT revision FROM {}.rows WHERE key = k), 0)
		) OR EXISTS (
			SELECT FROM generate_series(s + 1, s_end) AS i, LATERAL (
				SELECT count(*) AS n, coalesce(max(revision), 0) AS last FROM {}.rows
				WHERE key >= span_froms[i] AND key < span_tos[i]
			) AS found
			WHERE n <> span_counts[i] OR last <> span_lasts[i]
		) THEN
			RETURN NEXT 0;
		ELSE
			revision_ := revision_ + 1;
			INSERT INTO {}.rows SELECT k, v, revision_
				FROM unnest(write_keys[w + 1 : w_end], write_values[w + 1 : w_end]) AS wrote (k, v) WHERE v IS NOT NULL
				ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision;
			DELETE FROM {}.rows WHERE key IN (SELECT k
				FROM unnest(write_keys[w + 1 : w_end], write_values[w + 1 : w_end]) AS wrote (k, v) WHERE v IS NULL);
			INSERT INTO {}.changes (revision, sender, batch, part, keys)
				VALUES (revision_, me, my_batch, part_, write_keys[w + 1 : w_end]);
			RETURN NEXT revision_;
		END IF;
		r := r_end; s := s_end; w := w_end;
	END LOOP;
END $$;

-- settle finds out what became of a batch without an answer. Either the batch was made before, or, under its old epoch,
-- it never will be. It writes in any case: its own commit shows that what it saw is as durable.
-- It gives nothing, not even the row of part 0, if the sender is gone.
CREATE FUNCTION {}.settle(me bigint, new_epoch bigint, my_batch bigint)
RETURNS TABLE (part_ int, revision_ bigint) LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
	LOCK TABLE {}.turn IN EXCLUSIVE MODE;
	UPDATE {}.senders SET epoch = greatest(epoch, new_epoch) WHERE id = me;
	IF FOUND THEN
		RETURN QUERY SELECT 0, 0::bigint UNION ALL
			SELECT part, revision FROM {}.changes WHERE sender = me AND batch = my_batch;
	END IF;
END $$;

-- beat keeps a sender, or makes it with the epoch 0, and takes away senders that have not been heard of: false if the
-- sender itself is gone.
CREATE FUNCTION {}.beat(me bigint, is_new boolean, said bytea, lives interval)
RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
	here boolean;
BEGIN
	LOCK TABLE {}.turn IN EXCLUSIVE MODE;
	IF is_new THEN
		INSERT INTO {}.senders VALUES (me, 0, clock_timestamp() + lives, said) ON CONFLICT (id) DO NOTHING;
	END IF;
	UPDATE {}.senders SET until = clock_timestamp() + lives WHERE id = me;
	here := FOUND;
	DELETE FROM {}.senders WHERE until < clock_timestamp();
	RETURN here;
END $$;

-- share keeps a member of a group, takes away members that have not been heard of, and gives all members, with slot -1,
-- and all slots that are held. Its own member is among them if it is not gone.
CREATE FUNCTION {}.share(my_team text, me bigint, is_new boolean, said bytea, lives interval)
RETURNS TABLE (slot_ int, name_ bigint, made_ bigint) LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
	LOCK TABLE {}.turn IN EXCLUSIVE MODE;
	DELETE FROM {}.members WHERE until < clock_timestamp();
	DELETE FROM {}.slots WHERE NOT EXISTS (SELECT FROM {}.members WHERE members.team = slots.team AND name = holder);
	IF is_new THEN
		INSERT INTO {}.members VALUES (my_team, me, clock_timestamp() + lives, said) ON CONFLICT (team, name) DO NOTHING;
	END IF;
	UPDATE {}.members SET until = clock_timestamp() + lives WHERE team = my_team AND name = me;
	RETURN QUERY SELECT -1, name, 0::bigint FROM {}.members WHERE team = my_team
		UNION ALL SELECT slot, holder, made FROM {}.slots WHERE team = my_team;
END $$;

-- take takes the free ones among slots for a member, and gives all of them that the member has then.
CREATE FUNCTION {}.take(my_team text, me bigint, wanted int[], number bigint)
RETURNS SETOF int LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
	LOCK TABLE {}.turn IN EXCLUSIVE MODE;
	RETURN QUERY INSERT INTO {}.slots
		SELECT my_team, n, me, number FROM unnest(wanted) AS n
		WHERE EXISTS (SELECT FROM {}.members WHERE team = my_team AND name = me AND until > clock_timestamp())
		ON CONFLICT (team, slot) DO NOTHING RETURNING slot;
END $$;
