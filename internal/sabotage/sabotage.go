// Package sabotage names the protections that tests switch off, to prove that a test fails
// without them. Nothing outside this module can set them, and no command does.
package sabotage

// Bot switches off protections of package bot.
type Bot struct {
	NoStamp   bool // a press plays on whatever position there is
	StaleMove bool // the engine's move is played on whatever position there is
	NoGiveWay bool // a review goes on while the engine's turns wait
	NoRecover bool // a panic ends the process

	NoGiveBack bool // clocks get no time back in which the process did not run

	BelieveLists bool // a server that a list of Discord's lacks is lost
	NoPlain      bool // answers whose files are refused do not go out as text
	CallTwice    bool // a call that may be there already is sent anew
	BoardTwice   bool // a board that may be there already is posted anew
	CallNow      bool // members who are there are called too
	KeepLeft     bool // boards and calls that are left behind stay
	NoPosting    bool // that a message of standings or votes is being sent is not stored before
	Rush         bool // calls that events make unasked do not wait for one another
	EditNow      bool // the message of an event is edited at every change
	RemindAnew   bool // a reminder of an event is given whether it was given before or not
	OwnAgenda    bool // what other processes have made due is not looked for

	DailyAnew    bool // the daily message has another nonce each time
	DailyMadeUp  bool // a day that was missed is posted later
	DailyForever bool // a daily message is sent again however long ago its nonce was first used
	DailyUnowned bool // daily messages are posted in places that other processes own
}
