package dialect

// Channel is where a piece of an answer belongs.
type Channel uint8

// The channels. What is in the last two is not output.
const (
	ChannelText Channel = iota
	ChannelReasoning
	ChannelSummary // of reasoning, by the provider
	ChannelRefusal
	ChannelCallName
	ChannelCallArguments
	ChannelSignature // of the reasoning before it or, by Gemini, of the part after it
	ChannelRedacted  // reasoning that only its provider can read
)

// Piece is a bit of an answer, as one event carried it.
type Piece struct {
	Channel Channel
	Choice  int
	Text    []byte // decoded; valid during the call only
	Call    *Call  // of a call's pieces: the call, with the piece in it
	Hosted  bool   // of a call's name: the provider itself answers it
}
