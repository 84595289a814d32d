package render

import "fmt"

// Look is how a theme looks, for a board that is drawn elsewhere: in a page. Colours are those of CSS.
type Look struct {
	Name   string     `json:"name"`
	Cells  bool       `json:"cells,omitempty"` // pieces stand in cells even where the game is played on crossings
	Thick  float64    `json:"thick"`           // of the lines; 1 is 1/350 of the board
	Ground LookGround `json:"ground"`
	Margin LookGround `json:"margin,omitzero"` // round the field; zero lets the ground reach the edge
	Bevel  []string   `json:"bevel"`           // lines round the board, from the outside in
	Inset  string     `json:"inset"`           // line round the field where there is a margin
	Line   string     `json:"line"`
	Star   string     `json:"star"`
	Label  string     `json:"label"`
	Piece  string     `json:"piece"`  // stone, counter or nought
	Shadow float64    `json:"shadow"` // how dark a shadow is; 0 is none

	// What there is of each color: Black first.
	Coat   [2]LookCoat `json:"coat"`
	Number [2]string   `json:"number"`
	Last   [2]string   `json:"last"`
	Legal  [2]LookMark `json:"legal"`

	Win    LookMark `json:"win"`
	Forbid LookMark `json:"forbid"`
	Hint   LookMark `json:"hint"`
	Frame  LookMark `json:"frame"`
}

// LookGround is a surface: its kind, its two colours and the seed of its grain.
type LookGround struct {
	Kind string `json:"kind"` // flat, grain, figure, laid or petals
	Low  string `json:"low"`
	High string `json:"high"`
	Seed uint32 `json:"seed"`
}

// LookCoat is the colours of a piece.
type LookCoat struct {
	Dark  string  `json:"dark"`
	Light string  `json:"light"`
	Gloss float64 `json:"gloss"`
	Rim   string  `json:"rim"`
	Width float64 `json:"width"` // of the rim, as a share of the radius
}

// LookMark is a mark and the line round it that keeps it apart from what it lies on.
type LookMark struct {
	Ink    string `json:"ink"`
	Casing string `json:"casing"`
}

// Looks are the looks of all themes, the default first.
func Looks() []Look {
	looks := make([]Look, len(themes))
	for i, t := range themes {
		looks[i] = Look{Name: t.name, Cells: t.cells, Thick: t.thick, Ground: t.ground.look(), Margin: t.margin.look(),
			Inset: t.inset.css(), Line: t.line.css(), Star: t.star.css(), Label: t.label.css(),
			Piece: [...]string{stone: "stone", counter: "counter", nought: "nought"}[t.piece], Shadow: t.shadow,
			Coat:   [2]LookCoat{t.black.look(), t.white.look()},
			Number: [2]string{t.number[0].css(), t.number[1].css()}, Last: [2]string{t.last[0].css(), t.last[1].css()},
			Legal: [2]LookMark{t.legal[0].look(), t.legal[1].look()},
			Win:   t.win.look(), Forbid: t.forbid.look(), Hint: t.hint.look(), Frame: t.frame.look()}
		for _, c := range t.bevel {
			looks[i].Bevel = append(looks[i].Bevel, c.css())
		}
	}
	return looks
}

func (c rgb) css() string { return fmt.Sprintf("#%06x", uint32(c)) }

func (c cased) look() LookMark { return LookMark{c.ink.css(), c.casing.css()} }

func (k coat) look() LookCoat {
	return LookCoat{k.dark.css(), k.light.css(), k.gloss, k.rim.css(), k.rimWidth}
}

func (s surface) look() LookGround {
	if s.kind == none {
		return LookGround{}
	}
	kind := [...]string{flat: "flat", grain: "grain", figure: "figure", laid: "laid", petals: "petals"}[s.kind]
	return LookGround{kind, s.low.css(), s.high.css(), s.seed}
}
