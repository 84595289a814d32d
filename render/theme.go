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

// rgb is an opaque colour.
type rgb struct{ r, g, b uint8 }

func hex(c uint32) rgb { return rgb{uint8(c >> 16), uint8(c >> 8), uint8(c)} }

func (c rgb) rgba() color.RGBA { return color.RGBA{c.r, c.g, c.b, 255} }

// over is c laid over under with coverage a from 0 to 1.
func (c rgb) over(under rgb, a float64) rgb {
	mix := func(c, u uint8) uint8 { return uint8(float64(u) + a*(float64(c)-float64(u)) + .5) }
	return rgb{mix(c.r, under.r), mix(c.g, under.g), mix(c.b, under.b)}
}

var (
	ink   = hex(0x111111)
	white = hex(0xFFFFFF)

	slateStone = coat{dark: hex(0x08090B), light: hex(0x33363B), gloss: 98, rim: hex(0x030304), rimWidth: .03}
	shellStone = coat{dark: hex(0xDAD6CC), light: hex(0xFFFFFE), rim: hex(0x5E5646), rimWidth: .04, grain: .026}
)

// themes are all themes, the default first.
var themes = []theme{
	{
		name: "wood", about: "straight-grained honey-coloured wood, slate and shell stones",
		thick: 1, ground: surface{grain, hex(0xE2B062), hex(0xF1CA84), 7},
		bevel: []rgb{hex(0x6E4317), hex(0x9C6526), hex(0xF6DDA6)},
		line:  hex(0x5A3210), star: hex(0x4A280B), label: hex(0x57300F),
		black: slateStone, white: shellStone, shadow: .5,
		number: [2]rgb{white, ink}, last: [2]rgb{hex(0xFFD640), hex(0x07479B)},
		legal:  [2]cased{{ink, ink}, {white, ink}},
		win:    cased{hex(0x07479B), white},
		forbid: cased{hex(0xA80E13), white},
		hint:   cased{hex(0x06543D), white},
		frame:  cased{hex(0x57300F), hex(0xF6DDA6)},
	},
	{
		name: "kaya", about: "pale golden kaya with a wandering grain",
		thick: .67, ground: surface{figure, hex(0xE2B96B), hex(0xF4D898), 21},
		bevel: []rgb{hex(0x5E3A14), hex(0xB98A3E), hex(0xFBEBC2)},
		line:  hex(0x49290E), star: hex(0x3C200A), label: hex(0x49290E),
		black: slateStone, white: shellStone, shadow: .5,
		number: [2]rgb{white, ink}, last: [2]rgb{hex(0xFFD640), hex(0xB3261E)},
		legal:  [2]cased{{ink, ink}, {white, ink}},
		win:    cased{hex(0xB3261E), white},
		forbid: cased{hex(0xA80E13), white},
		hint:   cased{hex(0x07508F), white},
		frame:  cased{hex(0x49290E), hex(0xFBEBC2)},
	},
	{
		name: "walnut", about: "dark oiled walnut with pale letters",
		thick: 1, ground: surface{grain, hex(0x976A40), hex(0xA6794C), 33},
		margin: surface{grain, hex(0x3E2614), hex(0x52341D), 12},
		bevel:  []rgb{hex(0x1C0F05), hex(0x6E4A2C)}, inset: hex(0x1C0F05),
		line: hex(0x2B1708), star: hex(0x2B1708), label: hex(0xFFF3DC),
		black: slateStone, white: shellStone, shadow: .55,
		number: [2]rgb{white, ink}, last: [2]rgb{hex(0xFFD640), hex(0x0A63C9)},
		legal:  [2]cased{{ink, ink}, {white, white}},
		win:    cased{hex(0x0A63C9), white},
		forbid: cased{white, hex(0xA30F14)},
		hint:   cased{hex(0x0B5A42), white},
		frame:  cased{hex(0xFFF3DC), hex(0x2B1708)},
	},
	{
		name: "slate", about: "cool grey stone with pale letters",
		thick: .67, ground: surface{flat, hex(0x6C7682), hex(0x6C7682), 0},
		bevel: []rgb{hex(0x23282E), hex(0x4A525C), hex(0x98A2AE)},
		line:  hex(0xC9D2DB), star: hex(0xF2F5F8), label: hex(0xFFFFFF),
		black: slateStone, white: shellStone, shadow: .5,
		number: [2]rgb{white, ink}, last: [2]rgb{hex(0xFFD640), hex(0x0A63C9)},
		legal:  [2]cased{{hex(0x08090B), hex(0x08090B)}, {white, white}},
		win:    cased{hex(0xFFB300), hex(0x14181C)},
		forbid: cased{white, hex(0xB3131A)},
		hint:   cased{hex(0x7FE3C0), hex(0x10261F)},
		frame:  cased{white, hex(0x23282E)},
	},
	{
		name: "paper", about: "a diagram printed on laid paper",
		thick: .67, ground: surface{laid, hex(0xF3EBDA), hex(0xFBF6EB), 5},
		bevel: []rgb{hex(0xB9AD97)},
		line:  hex(0x57504A), star: hex(0x2A2623), label: hex(0x3A3531),
		piece:  counter,
		black:  coat{light: hex(0x1E1B1A), rim: hex(0x1E1B1A), rimWidth: 0},
		white:  coat{light: hex(0xFFFEFB), rim: hex(0x1E1B1A), rimWidth: .085},
		number: [2]rgb{white, hex(0x1E1B1A)}, last: [2]rgb{hex(0xFFC861), hex(0xB3261E)},
		legal:  [2]cased{{hex(0x1E1B1A), hex(0x1E1B1A)}, {white, hex(0x1E1B1A)}},
		win:    cased{hex(0xB3261E), white},
		forbid: cased{hex(0xB3261E), white},
		hint:   cased{hex(0x1F4E8C), white},
		frame:  cased{hex(0x1F4E8C), white},
	},
	{
		name: "night", about: "a dark board for dark rooms; black stones have a bright rim",
		thick: .67, ground: surface{flat, hex(0x1B2230), hex(0x1B2230), 0},
		bevel: []rgb{hex(0x3A4760)},
		line:  hex(0x4E5E7A), star: hex(0x8195B8), label: hex(0xB7C6DE),
		piece:  counter,
		black:  coat{light: hex(0x07090D), rim: hex(0xA9C0E4), rimWidth: .115},
		white:  coat{light: hex(0xEDF1F7), rim: hex(0xEDF1F7), rimWidth: 0},
		number: [2]rgb{hex(0xDCE6F5), hex(0x0B0F16)}, last: [2]rgb{hex(0xFFD640), hex(0x0A63C9)},
		legal:  [2]cased{{hex(0x93ABD1), hex(0x07090D)}, {hex(0xEDF1F7), hex(0x07090D)}},
		win:    cased{hex(0xFFB300), hex(0x07090D)},
		forbid: cased{hex(0xFF6F6A), hex(0x07090D)},
		hint:   cased{hex(0x4FD1A5), hex(0x07140F)},
		frame:  cased{hex(0xFFD640), hex(0x07090D)},
	},
	{
		name: "contrast", about: "black on yellow with thick outlines, for weak eyes",
		thick: 1.33, ground: surface{flat, hex(0xFFE24A), hex(0xFFE24A), 0},
		bevel: []rgb{hex(0), hex(0)},
		line:  hex(0), star: hex(0), label: hex(0),
		piece:  counter,
		black:  coat{light: hex(0), rim: hex(0), rimWidth: 0},
		white:  coat{light: white, rim: hex(0), rimWidth: .15},
		number: [2]rgb{white, hex(0)}, last: [2]rgb{hex(0xFFE24A), hex(0)},
		legal:  [2]cased{{hex(0), hex(0)}, {white, hex(0)}},
		win:    cased{hex(0x0033CC), white},
		forbid: cased{hex(0xB00000), white},
		hint:   cased{hex(0x0033CC), white},
		frame:  cased{hex(0x0033CC), white},
	},
	{
		name: "clear", about: "colours that the colour-blind tell apart, on pale blue",
		thick: 1, ground: surface{flat, hex(0xA9D3EC), hex(0xA9D3EC), 0},
		bevel: []rgb{hex(0x12344D), hex(0x12344D)},
		line:  hex(0x2F6285), star: hex(0x12344D), label: hex(0x12344D),
		piece:  counter,
		black:  coat{light: hex(0x0A0A0A), rim: hex(0x0A0A0A), rimWidth: 0},
		white:  coat{light: white, rim: hex(0x12344D), rimWidth: .07},
		number: [2]rgb{white, hex(0x0A0A0A)}, last: [2]rgb{hex(0xF0E442), hex(0xC24E00)},
		legal:  [2]cased{{hex(0x0A0A0A), hex(0x0A0A0A)}, {white, hex(0x12344D)}},
		win:    cased{hex(0xE69F00), hex(0x0A0A0A)},
		forbid: cased{hex(0x9A3A00), white},
		hint:   cased{hex(0x00563F), white},
		frame:  cased{hex(0x9A3A00), white},
	},
	{
		name: "felt", about: "green baize in a walnut frame; the default of Reversi",
		thick: 1, ground: surface{flat, hex(0x208B58), hex(0x208B58), 0},
		margin: surface{grain, hex(0x33231A), hex(0x46322A), 11},
		bevel:  []rgb{hex(0x1E130D), hex(0x5B4234)}, inset: hex(0x0A3A24),
		line: hex(0x0B4029), star: hex(0x08321F), label: hex(0xF0E3CF),
		black: slateStone, white: shellStone, shadow: .5,
		number: [2]rgb{white, ink}, last: [2]rgb{hex(0xFFD640), hex(0x0A63C9)},
		legal:  [2]cased{{hex(0x08090B), hex(0x08090B)}, {white, white}},
		win:    cased{hex(0x0A63C9), white},
		forbid: cased{hex(0xC4161C), white},
		hint:   cased{hex(0x6A1B9A), white},
		frame:  cased{hex(0xF0E3CF), hex(0x08321F)},
	},
	{
		name: "sheet", about: "X and O in ink on squared paper",
		cells: true, thick: .67, ground: surface{flat, hex(0xFBFCFE), hex(0xFBFCFE), 0},
		bevel: []rgb{hex(0xAEBFD6)},
		line:  hex(0x8FB0D8), star: hex(0x8FB0D8), label: hex(0x46566E),
		piece:  nought,
		black:  coat{light: hex(0x1B3F9C), rim: hex(0xBFCDEE)},
		white:  coat{light: hex(0xBE241C), rim: hex(0xF4C6C1)},
		number: [2]rgb{hex(0x12264F), hex(0x5E1010)}, last: [2]rgb{hex(0xA85400), hex(0xA85400)},
		legal:  [2]cased{{hex(0x1B3F9C), white}, {hex(0xBE241C), white}},
		win:    cased{hex(0x0B7A3B), white},
		forbid: cased{hex(0x3A3F47), white},
		hint:   cased{hex(0x6A1B9A), white},
		frame:  cased{hex(0x0B7A3B), white},
	},
	{
		name: "blossom", about: "cherry blossoms on pink",
		thick: .67, ground: surface{petals, hex(0xF5C6CF), hex(0xFBE0E4), 9},
		bevel: []rgb{hex(0x8C4256), hex(0xD98FA0), hex(0xFFF1F3)},
		line:  hex(0x96506A), star: hex(0x7A3450), label: hex(0x6B2A44),
		black: coat{dark: hex(0x1A0B14), light: hex(0x54324A), gloss: 105, rim: hex(0x12060D), rimWidth: .03},
		white: shellStone, shadow: .42,
		number: [2]rgb{white, ink}, last: [2]rgb{hex(0xFFD640), hex(0xB0135A)},
		legal:  [2]cased{{hex(0x1A0B14), hex(0x1A0B14)}, {white, hex(0x1A0B14)}},
		win:    cased{hex(0x6A1B9A), white},
		forbid: cased{hex(0xB3131A), white},
		hint:   cased{hex(0x075E54), white},
		frame:  cased{hex(0x6B2A44), white},
	},
}
