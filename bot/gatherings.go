package bot

import (
	"tengen/bot/command"
	"tengen/bot/live"
	"tengen/bot/room"
	"tengen/bot/simul"
	"tengen/bot/together"
	"tengen/storage"
)

// gatherings are the rooms of what members of a channel play under one message, in the order of /help.
// One more is a line.
func (b *Bot) gatherings(base room.Base) []live.Kind {
	return []live.Kind{
		together.New(together.Config{Base: base, Host: b.host, Desk: b.desk}),
		simul.New(simul.Config{Base: base, Host: b.host, Screens: b.screens}),
	}
}

// gathered are their commands; of rooms that only tell of them, where there is no bot.
func (b *Bot) gathered() (all []command.Command) {
	kinds := b.kinds
	if kinds == nil {
		kinds = b.gatherings(room.Base{})
	}
	for _, k := range kinds {
		all = append(all, k.Commands()...)
	}
	return all
}

// sweeps are what the rooms do when something is due.
func (b *Bot) sweeps() map[storage.Agenda]func() {
	all := map[storage.Agenda]func(){storage.EventAgenda: b.events.Kick, storage.LadderAgenda: b.ladders.Sweep,
		storage.DailyAgenda: b.puzzles.Sweep, storage.SeekAgenda: b.seeks.Sweep, storage.RecapAgenda: b.sweepRecaps}
	for _, k := range b.kinds {
		all[k.Agenda()] = k.Sweep
	}
	return all
}
