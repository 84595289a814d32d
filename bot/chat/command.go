package chat

// OptionType is what a member may give for an option; Discord checks it.
type OptionType uint8

// The types, by their names in Discord.
const (
	TextOption OptionType = iota + 1
	NumberOption
	YesOption
	MemberOption
	FileOption
	ChannelOption
)

// Command is a command of the bot as plain data, to be registered, dispatched and documented.
// Names and descriptions in other languages are in the catalogue under "command.NAME" and
// "command.NAME.OPTION", with ".about" added for descriptions.
type Command struct {
	Name    string // without the parent's name
	Menu    Kind   // UserMenu or MessageMenu for context menus; zero for slash commands
	About   string // English
	Subs    []Command
	Options []OptionSpec
	Manager bool // by default Discord offers it only to members who may manage the server
	Alone   bool // it also works outside the bot's servers (user install, direct messages)
}

// OptionSpec is an option as a Command declares it, with what Discord lets a member give.
type OptionSpec struct {
	Name     string
	About    string
	Type     OptionType
	Required bool
	Choices  []Choice // Value is what the handler gets; numbers for NumberOption
	Complete bool     // autocompleted
	Min, Max int      // of a number, or of a text's length; both zero: unbounded
}
