package discord

import (
	"context"
	"time"

	"tengen/bot/chat"
)

// flagEmbedded is the flag of an application whose Activity is switched on.
const flagEmbedded = 1 << 17

// answerLaunch is the type of an answer that opens the Activity.
const answerLaunch = 12

// launchSpare is the part of the time for a first answer that is left for another one, where the Activity does not
// open.
const launchSpare = time.Second

// launches reports whether members may be shown the application's Activity.
func (d *Adapter) launches() bool { return d.options.Activity && d.embeds.Load() }

// Launch answers an interaction by opening the Activity for the member.
func (d *Adapter) Launch(ctx context.Context, k chat.Ticket) (instance string, err error) {
	t := d.tickets.byID(k.ID)
	if t == nil {
		t = &ticket{Ticket: k, arrived: time.Now()}
	}
	mine, state := t.claim(ctx)
	if !mine {
		_, err := d.answerLate(ctx, t, state, chat.Answer{})
		return "", err
	}
	ctx, cancel := context.WithDeadline(ctx, t.arrived.Add(d.options.AnswerIn-launchSpare))
	defer cancel()
	made, err := d.callback(ctx, t, answerPayload{Type: answerLaunch}, nil)
	if err != nil {
		t.settle(afterFailure(err))
		return "", err
	}
	t.settle(answered)
	return made.instance, nil
}
