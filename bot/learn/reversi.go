package learn

var reversi = newCourse("reversi", `
enclose
	reversi.1
	reversi.enclose.2: reversi d3; marks c3 e3 c5
	ask which: reversi ......../......../......../...OX.../...XO.../......../......../........ X; about c3 d3 e3; right D3
	ask which: reversi f5; about e6 g5 f6; right F6
turn
	reversi.2
	reversi.turn.2: reversi ......../......../..X..X../..OXXX../.XXOXX../...OO.../....O.../........ X; marks d7
	ask count: reversi ......../......../......../...OX.../...XO.../......../......../........ X; about d3; right 1
	ask most: reversi ......../......../..X.O.O./...OOOXX/..OOO.X./....X.X./....OX../........ X; right c4
	ask most: reversi ......../......../..X..X../..OXXX../.XXOXX../...OO.../....O.../........ X; right d7
pass
	reversi.pass.1: reversi .OOXXXXX/XXOOXXXX/XXXOOXXO/XXXOXXO./XXXOXOO./XXXOOO.O/XXXOOXXX/XXX..OXX X; marks a1
	reversi.pass.2: reversi ......../......../...XXX.X/...XXO.X/.XXXXOXX/.....O../......../........ X; marks f7
	ask turn: reversi .OOXXXXX/XXOOXXXX/XXXOOXXO/XXXOXXO./XXXOXOO./XXXOOO.O/XXXOOXXX/XXX..OXX X; about a1; right black
	ask turn: reversi ......../......../......../...OX.../...XO.../......../......../........ X; about d3; right white
	ask turn: reversi ......../......../...XXX.X/...XXO.X/.XXXXOXX/.....O../......../........ X; about f7; right nobody
end
	reversi.4
	reversi.end.2: reversi ......../......../..XXX.../...XX.../..XXX.../......../......../........
	ask winner: reversi OOOOOOOO/OOXXXXOO/OXOXXOXO/OXXOOXXO/OXXOOXXO/OXOXXOXO/OOXXXXOO/OOOOOOOO; right white
	ask best: reversi OOOOOXXX/OOOOOOXO/OXOOOXO./OOOOOOO./OXOXOOOO/OOXOOOO./OXOOOOOX/XXXXXXXX X; right h6
corner
	reversi.3
	reversi.corner.2: reversi ....X.../....X.../...XXXX./..XXXXXO/...XXOOO/..XX.OOX/...X.OO./.....O.. X; marks h8
	ask corner: reversi ....X.../....X.../...XXXX./..XXXXXO/...XXOOO/..XX.OOX/...X.OO./.....O.. X; right h8
	ask corner: reversi ...O.O../OX.OO.../OOXO.XX./OOOXOX../OOXXXO../OOXXOO../OOXXOO../OOOOOOO. O; right a1
beside
	reversi.beside.1: reversi ......../......../......../...OX.../...XO.../......../......../........ X; marks b2 g2 b7 g7
	reversi.beside.2: reversi ....X.../....X.../...XXXXX/..XXXXXX/...XXOOX/..XX.OOX/...X.OO./.....O.. O; marks h8
	ask safe: reversi ....X.../....X.../...XXXXX/..XXXXXX/...XXOOX/..XX.OOX/...X.OO./.....O.. O; right c3
	ask safe: reversi ...XXXO./....XXX./..OOOXX./...OO.../..OOO.../.O.O.O../O.....O./........ X; right h1 c6
few
	reversi.few.1: reversi ...OXX.X/...XXXXX/..XXXOXX/...XXXOX/...XXXOX/...XXXOO/...XX.O./..XXXXXX O; marks f7
	reversi.few.2: reversi .OOOOO../..OOXO../..OOXOOO/...OOXOO/.OOOXOOO/..OXXOOO/..XOXO.O/.X.XXO.. X; marks c8
	ask few: reversi ...OXX.X/...XXXXX/..XXXOXX/...XXXOX/...XXXOX/...XXXOO/...XX.O./..XXXXXX O; right f7
	ask few: reversi .OOOOO../..OOXO../..OOXOOO/...OOXOO/.OOOXOOO/..OXXOOO/..XOXO.O/.X.XXO.. X; right c8
quiet
	reversi.quiet.1: reversi ...XX.../X.XXXO../.XXXOX../..XXXX../.XXXXXO./.OXOXXO./...XX.O./...XX... O; marks c1
	reversi.quiet.2: reversi ......../......O./..XX.O../..XXOX../.XXOXX../.XXXXX../.O.OOOO./...OOX.. X; marks e3
	ask quiet: reversi ...XX.../X.XXXO../.XXXOX../..XXXX../.XXXXXO./.OXOXXO./...XX.O./...XX... O; right c1
	ask quiet: reversi ......../......O./..XX.O../..XXOX../.XXOXX../.XXXXX../.O.OOOO./...OOX.. X; right e3
skip
	reversi.skip.1: reversi OOOOOOOO/OXXOOOOO/XXOXOOOO/XXOXOO.O/XXXXOOO./XXXXOO../XXXXXO../XXXXXXO. X; marks h8
	reversi.skip.2: reversi ......O./...X..OO/...X..O./..XXXXXX/...XOXOX/..XOOOOX/..XXOOXX/..XOOOXO O; marks h3
	ask skip: reversi OOOOOOOO/OXXOOOOO/XXOXOOOO/XXOXOO.O/XXXXOOO./XXXXOO../XXXXXO../XXXXXXO. X; right h8
	ask skip: reversi ......O./...X..OO/...X..O./..XXXXXX/...XOXOX/..XOOOOX/..XXOOXX/..XOOOXO O; right h3
wipe
	reversi.wipe.1: reversi ......../......../...XXX.X/...XXO.X/.XXXXOXX/.....O../......../........ X; marks f7
	reversi.wipe.2: reversi ......../......../..X...../...XOOOO/...OXOOO/...OOXOO/...OOOOO/..OOOOOO O; marks b2
	ask wipe: reversi ......../......../...XXX.X/...XXO.X/.XXXXOXX/.....O../......../........ X; right f7
	ask wipe: reversi ......../......../..X...../...XOOOO/...OXOOO/...OOXOO/...OOOOO/..OOOOOO O; right b2
parity
	reversi.parity.1: reversi XXOOOOOO/XXOOOOOO/XXXOXXOO/XXXOXOOO/XOXOOOXO/XOXOOXXX/XOOOOOOO/XO..OOO. X; marks c8
	reversi.parity.2: reversi .OOOOOOO/OOOOOX.O/XOXXXXOO/XXOOOOXO/XOXOOXX./XXOOXOX./XXOXXXXO/XXXXXXXX X; marks g2
	ask best: reversi XXOOOOOO/XXOOOOOO/XXXOXXOO/XXXOXOOO/XOXOOOXO/XOXOOXXX/XOOOOOOO/XO..OOO. X; right c8
	ask best: reversi .OOOOOOO/OOOOOX.O/XOXXXXOO/XXOOOOXO/XOXOOXX./XXOOXOX./XXOXXXXO/XXXXXXXX X; right g2
count
	reversi.count.1: reversi XXXXXXXX/XOOOOOXO/XXXXXXOO/XXXXXOOO/XOXXOOOO/XXOOXOXO/X...OXOO/...OOOOO X; marks d7
	reversi.count.2: reversi ..OOO.O./O..OOOOO/.OOOOXOO/XXOXXOOO/XXOOXXOO/XXXOOOOO/XXXXOOXO/OXXOOOOO X; marks a3
	ask best: reversi XXXXXXXX/XOOOOOXO/XXXXXXOO/XXXXXOOO/XOXXOOOO/XXOOXOXO/X...OXOO/...OOOOO X; right d7
	ask best: reversi ..OOO.O./O..OOOOO/.OOOOXOO/XXOXXOOO/XXOOXXOO/XXXOOOOO/XXXXOOXO/OXXOOOOO X; right a3
`)
