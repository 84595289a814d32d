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
// The catalogue has its description under "command.NAME.about", and its names in other languages than
// English without the ".about".
type Command struct {
	Name    string
	Menu    Kind // UserMenu or MessageMenu for context menus; zero for slash commands
	Options []OptionSpec
	Manager bool // by default Discord offers it only to members who may manage the server
	Alone   bool // it also works outside the bot's servers (user install, direct messages)
}

// OptionSpec is an option as a Command declares it, with what Discord lets a member give. Options of one
// name and meaning share their texts in the catalogue.
type OptionSpec struct {
	Name     string
	Of       string // which meaning, where options of one name have several
	Type     OptionType
	Required bool
	Choices  []Choice // Value is what the handler gets; numbers for NumberOption
	Complete bool     // autocompleted
	Min, Max int      // of a number, or of a text's length; both zero: unbounded
}

// Texts is the key of the option's name in the catalogue, and with ".about" of its description.
func (o OptionSpec) Texts() string {
	key := "option." + o.Name
	if o.Of != "" {
		key += "." + o.Of
	}
	return key
}
