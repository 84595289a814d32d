package render

import "image/color"

// theme is how boards, pieces and marks look. Every theme draws every game.
type theme struct {
	name, about string

	cells bool    // in cells even where the game is played on crossings
	thick float64 // of the lines of the grid; 1 is 3 pixels at 1050

	ground surface // the playing field
	margin surface // round the field; none lets the ground reach the edge of the picture
	bevel  []rgb   // lines round the picture from the outside in
	inset  rgb     // line round the field where there is a margin

	line, star, label rgb

	piece        pieceKind
	black, white coat
	shadow       float64 // how dark a shadow is; 0 is none

	number [2]rgb // on black, on white
	last   [2]rgb // ring and dot of the last move, on black, on white
	legal  [2]cased
	win    cased // rings and line of the winning row
	forbid cased
	hint   cased // hints and candidates
	frame  cased
}

// cased is a mark and the line round it that keeps it apart from what it lies on.
type cased struct{ ink, casing rgb }

// coat is the colours of a piece.
type coat struct {
	dark, light rgb     // away from the light and towards it
	gloss       float64 // of the highlight
	rim         rgb
	rimWidth    float64 // as a share of the radius
	grain       float64 // of the lines of a shell
}

type surfaceKind uint8

const (
	none surfaceKind = iota
	flat
	grain  // straight-grained wood: every row of pixels is like the one above
	figure // flat-sawn wood, whose grain wanders
	laid   // paper with the lines of its mould
	petals // strewn blossoms
)

type surface struct {
	kind      surfaceKind
	low, high rgb
	seed      uint32
}

type pieceKind uint8

const (
	stone   pieceKind = iota // a lens of slate or shell; on cells a two-coloured disc
	counter                  // flat, with a rim
	nought                   // X and O in ink
)

// rgb is an opaque colour: 0xRRGGBB.
type rgb uint32

func rgbOf(r, g, b uint8) rgb { return rgb(r)<<16 | rgb(g)<<8 | rgb(b) }

// rgbAt is the colour at the start of pixels.
func rgbAt(pix []uint8) rgb { return rgbOf(pix[0], pix[1], pix[2]) }

func (c rgb) r() uint8 { return uint8(c >> 16) }
func (c rgb) g() uint8 { return uint8(c >> 8) }
func (c rgb) b() uint8 { return uint8(c) }

func (c rgb) rgba() color.RGBA { return color.RGBA{c.r(), c.g(), c.b(), 255} }

// over is c laid over under with coverage a from 0 to 1.
func (c rgb) over(under rgb, a float64) rgb {
	mix := func(c, u uint8) uint8 { return uint8(float64(u) + a*(float64(c)-float64(u)) + .5) }
	return rgbOf(mix(c.r(), under.r()), mix(c.g(), under.g()), mix(c.b(), under.b()))
}

const (
	ink   rgb = 0x111111
	white rgb = 0xFFFFFF
)

var (
	slateStone = coat{dark: 0x08090B, light: 0x33363B, gloss: 98, rim: 0x030304, rimWidth: .03}
	shellStone = coat{dark: 0xDAD6CC, light: 0xFFFFFE, rim: 0x5E5646, rimWidth: .04, grain: .026}
)

// themes are all themes, the default first.
var themes = []theme{
	{
		name: "wood", about: "straight-grained honey-coloured wood, slate and shell stones",
		thick: 1, ground: surface{grain, 0xE2B062, 0xF1CA84, 7},
		bevel: []rgb{0x6E4317, 0x9C6526, 0xF6DDA6},
		line:  0x5A3210, star: 0x4A280B, label: 0x57300F,
		black: slateStone, white: shellStone, shadow: .5,
		number: [2]rgb{white, ink}, last: [2]rgb{0xFFD640, 0x07479B},
		legal:  [2]cased{{ink, ink}, {white, ink}},
		win:    cased{0x07479B, white},
		forbid: cased{0xA80E13, white},
		hint:   cased{0x06543D, white},
		frame:  cased{0x57300F, 0xF6DDA6},
	},
	{
		name: "kaya", about: "pale golden kaya with a wandering grain",
		thick: .67, ground: surface{figure, 0xE2B96B, 0xF4D898, 21},
		bevel: []rgb{0x5E3A14, 0xB98A3E, 0xFBEBC2},
		line:  0x49290E, star: 0x3C200A, label: 0x49290E,
		black: slateStone, white: shellStone, shadow: .5,
		number: [2]rgb{white, ink}, last: [2]rgb{0xFFD640, 0xB3261E},
		legal:  [2]cased{{ink, ink}, {white, ink}},
		win:    cased{0xB3261E, white},
		forbid: cased{0xA80E13, white},
		hint:   cased{0x07508F, white},
		frame:  cased{0x49290E, 0xFBEBC2},
	},
	{
		name: "walnut", about: "dark oiled walnut with pale letters",
		thick: 1, ground: surface{grain, 0x976A40, 0xA6794C, 33},
		margin: surface{grain, 0x3E2614, 0x52341D, 12},
		bevel:  []rgb{0x1C0F05, 0x6E4A2C}, inset: 0x1C0F05,
		line: 0x2B1708, star: 0x2B1708, label: 0xFFF3DC,
		black: slateStone, white: shellStone, shadow: .55,
		number: [2]rgb{white, ink}, last: [2]rgb{0xFFD640, 0x0A63C9},
		legal:  [2]cased{{ink, ink}, {white, white}},
		win:    cased{0x0A63C9, white},
		forbid: cased{white, 0xA30F14},
		hint:   cased{0x0B5A42, white},
		frame:  cased{0xFFF3DC, 0x2B1708},
	},
	{
		name: "slate", about: "cool grey stone with pale letters",
		thick: .67, ground: surface{flat, 0x6C7682, 0x6C7682, 0},
		bevel: []rgb{0x23282E, 0x4A525C, 0x98A2AE},
		line:  0xC9D2DB, star: 0xF2F5F8, label: 0xFFFFFF,
		black: slateStone, white: shellStone, shadow: .5,
		number: [2]rgb{white, ink}, last: [2]rgb{0xFFD640, 0x0A63C9},
		legal:  [2]cased{{0x08090B, 0x08090B}, {white, white}},
		win:    cased{0xFFB300, 0x14181C},
		forbid: cased{white, 0xB3131A},
		hint:   cased{0x7FE3C0, 0x10261F},
		frame:  cased{white, 0x23282E},
	},
	{
		name: "paper", about: "a diagram printed on laid paper",
		thick: .67, ground: surface{laid, 0xF3EBDA, 0xFBF6EB, 5},
		bevel: []rgb{0xB9AD97},
		line:  0x57504A, star: 0x2A2623, label: 0x3A3531,
		piece:  counter,
		black:  coat{light: 0x1E1B1A, rim: 0x1E1B1A, rimWidth: 0},
		white:  coat{light: 0xFFFEFB, rim: 0x1E1B1A, rimWidth: .085},
		number: [2]rgb{white, 0x1E1B1A}, last: [2]rgb{0xFFC861, 0xB3261E},
		legal:  [2]cased{{0x1E1B1A, 0x1E1B1A}, {white, 0x1E1B1A}},
		win:    cased{0xB3261E, white},
		forbid: cased{0xB3261E, white},
		hint:   cased{0x1F4E8C, white},
		frame:  cased{0x1F4E8C, white},
	},
	{
		name: "night", about: "a dark board for dark rooms",
		thick: .67, ground: surface{flat, 0x3D4C66, 0x3D4C66, 0},
		bevel: []rgb{0x232C3D},
		line:  0x7588A8, star: 0x9FB1CE, label: 0xD5DFEE,
		piece:  counter,
		black:  coat{light: 0x07090D, rim: 0x8FA5C9, rimWidth: .05},
		white:  coat{light: 0xEDF1F7, rim: 0xEDF1F7, rimWidth: 0},
		number: [2]rgb{0xDCE6F5, 0x0B0F16}, last: [2]rgb{0xFFD640, 0x0A63C9},
		legal:  [2]cased{{0x93ABD1, 0x07090D}, {0xEDF1F7, 0x07090D}},
		win:    cased{0xFFB300, 0x07090D},
		forbid: cased{0xFFA6A1, 0x07090D},
		hint:   cased{0x4FD1A5, 0x07140F},
		frame:  cased{0xFFD640, 0x07090D},
	},
	{
		name: "contrast", about: "black on yellow with thick outlines, for weak eyes",
		thick: 1.33, ground: surface{flat, 0xFFE24A, 0xFFE24A, 0},
		bevel: []rgb{0, 0},
		line:  0, star: 0, label: 0,
		piece:  counter,
		black:  coat{light: 0, rim: 0, rimWidth: 0},
		white:  coat{light: white, rim: 0, rimWidth: .15},
		number: [2]rgb{white, 0}, last: [2]rgb{0xFFE24A, 0},
		legal:  [2]cased{{0, 0}, {white, 0}},
		win:    cased{0x0033CC, white},
		forbid: cased{0xB00000, white},
		hint:   cased{0x0033CC, white},
		frame:  cased{0x0033CC, white},
	},
	{
		name: "clear", about: "colours that the colour-blind tell apart, on pale blue",
		thick: 1, ground: surface{flat, 0xA9D3EC, 0xA9D3EC, 0},
		bevel: []rgb{0x12344D, 0x12344D},
		line:  0x2F6285, star: 0x12344D, label: 0x12344D,
		piece:  counter,
		black:  coat{light: 0x0A0A0A, rim: 0x0A0A0A, rimWidth: 0},
		white:  coat{light: white, rim: 0x12344D, rimWidth: .07},
		number: [2]rgb{white, 0x0A0A0A}, last: [2]rgb{0xF0E442, 0xC24E00},
		legal:  [2]cased{{0x0A0A0A, 0x0A0A0A}, {white, 0x12344D}},
		win:    cased{0xE69F00, 0x0A0A0A},
		forbid: cased{0x9A3A00, white},
		hint:   cased{0x00563F, white},
		frame:  cased{0x9A3A00, white},
	},
	{
		name: "felt", about: "green baize in a walnut frame; the default of Reversi",
		thick: 1, ground: surface{flat, 0x208B58, 0x208B58, 0},
		margin: surface{grain, 0x33231A, 0x46322A, 11},
		bevel:  []rgb{0x1E130D, 0x5B4234}, inset: 0x0A3A24,
		line: 0x0B4029, star: 0x08321F, label: 0xF0E3CF,
		black: slateStone, white: shellStone, shadow: .5,
		number: [2]rgb{white, ink}, last: [2]rgb{0xFFD640, 0x0A63C9},
		legal:  [2]cased{{0x08090B, 0x08090B}, {white, white}},
		win:    cased{0x0A63C9, white},
		forbid: cased{0xC4161C, white},
		hint:   cased{0x6A1B9A, white},
		frame:  cased{0xF0E3CF, 0x08321F},
	},
	{
		name: "sheet", about: "X and O in ink on squared paper",
		cells: true, thick: .67, ground: surface{flat, 0xFBFCFE, 0xFBFCFE, 0},
		bevel: []rgb{0xAEBFD6},
		line:  0x8FB0D8, star: 0x8FB0D8, label: 0x46566E,
		piece:  nought,
		black:  coat{light: 0x1B3F9C, rim: 0xBFCDEE},
		white:  coat{light: 0xBE241C, rim: 0xF4C6C1},
		number: [2]rgb{0x12264F, 0x5E1010}, last: [2]rgb{0xA85400, 0xA85400},
		legal:  [2]cased{{0x1B3F9C, white}, {0xBE241C, white}},
		win:    cased{0x0B7A3B, white},
		forbid: cased{0x3A3F47, white},
		hint:   cased{0x6A1B9A, white},
		frame:  cased{0x0B7A3B, white},
	},
	{
		name: "blossom", about: "cherry blossoms on pink",
		thick: .67, ground: surface{petals, 0xF5C6CF, 0xFBE0E4, 9},
		bevel: []rgb{0x8C4256, 0xD98FA0, 0xFFF1F3},
		line:  0x96506A, star: 0x7A3450, label: 0x6B2A44,
		black: coat{dark: 0x1A0B14, light: 0x54324A, gloss: 105, rim: 0x12060D, rimWidth: .03},
		white: shellStone, shadow: .42,
		number: [2]rgb{white, ink}, last: [2]rgb{0xFFD640, 0xB0135A},
		legal:  [2]cased{{0x1A0B14, 0x1A0B14}, {white, 0x1A0B14}},
		win:    cased{0x6A1B9A, white},
		forbid: cased{0xB3131A, white},
		hint:   cased{0x075E54, white},
		frame:  cased{0x6B2A44, white},
	},
}
