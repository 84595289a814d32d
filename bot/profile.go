package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) profileCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "profile", Alone: true,
			Options: []chat.OptionSpec{{Name: "member", Type: chat.MemberOption}}},
		Was:   []string{"stats"},
		Opens: true,
		Run:   b.profile,
	}
}

func (b *Bot) profile(ctx context.Context, r chat.Request) error {
	who := r.By
	if m := r.Options["member"].Member; m.ID != 0 {
		who = m.ID
	}
	member, err := b.store.Member(ctx, who)
	if err != nil {
		return err
	}
	if who != r.By && member.More[view.MoreHidden] == "1" {
		return no("refused.statsHidden", "Who", view.Mention(who))
	}
	p, err := b.reached(ctx, r, who)
	if err != nil {
		return err
	}
	return b.say(ctx, r, chat.Private(view.Clip(b.tongue(r).Profile(p), 3800)))
}

// profileGames is how many of a member's last games their profile looks at.
const profileGames = 500

// reached is what a member has reached.
func (b *Bot) reached(ctx context.Context, r chat.Request, who game.MemberID) (p view.Profile, err error) {
	p.Who = who
	if p.Rated, err = b.store.Standings(ctx, who); err != nil {
		return p, err
	}
	for i, s := range p.Rated {
		p.Rated[i].Rating = s.Aged(b.now())
	}
	if p.Bot, err = b.store.AgainstEngine(ctx, who); err != nil {
		return p, err
	}
	recs, err := b.store.History(ctx, who, 0, profileGames)
	for _, rec := range recs {
		p = p.With(rec, r.By)
	}
	return p, err
}
