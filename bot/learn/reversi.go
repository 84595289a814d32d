package learn

var reversi = course{name: "reversi", steps: []step{
	{name: "enclose",
		pages: []page{
			rulePages["reversi"][0],
			{name: "reversi.enclose.2", line: "reversi d3", marks: "c3 e3 c5"},
		},
		exercises: []exercise{
			{ask: askWhich, line: "reversi ......../......../......../...OX.../...XO.../......../......../........ X", about: "c3 d3 e3", right: "D3"},
			{ask: askWhich, line: "reversi f5", about: "e6 g5 f6", right: "F6"},
		}},
	{name: "turn",
		pages: []page{
			rulePages["reversi"][1],
			{name: "reversi.turn.2", line: "reversi ......../......../..X..X../..OXXX../.XXOXX../...OO.../....O.../........ X",
				marks: "d7"},
		},
		exercises: []exercise{
			{ask: askCount, line: "reversi ......../......../......../...OX.../...XO.../......../......../........ X", about: "d3", right: "1"},
			{ask: askMost, line: "reversi ......../......../..X.O.O./...OOOXX/..OOO.X./....X.X./....OX../........ X", right: "c4"},
			{ask: askMost, line: "reversi ......../......../..X..X../..OXXX../.XXOXX../...OO.../....O.../........ X", right: "d7"},
		}},
	{name: "pass",
		pages: []page{
			{name: "reversi.pass.1", line: "reversi .OOXXXXX/XXOOXXXX/XXXOOXXO/XXXOXXO./XXXOXOO./XXXOOO.O/XXXOOXXX/XXX..OXX X", marks: "a1"},
			{name: "reversi.pass.2", line: "reversi ......../......../...XXX.X/...XXO.X/.XXXXOXX/.....O../......../........ X", marks: "f7"},
		},
		exercises: []exercise{
			{ask: askTurn, line: "reversi .OOXXXXX/XXOOXXXX/XXXOOXXO/XXXOXXO./XXXOXOO./XXXOOO.O/XXXOOXXX/XXX..OXX X", about: "a1", right: "black"},
			{ask: askTurn, line: "reversi ......../......../......../...OX.../...XO.../......../......../........ X", about: "d3", right: "white"},
			{ask: askTurn, line: "reversi ......../......../...XXX.X/...XXO.X/.XXXXOXX/.....O../......../........ X", about: "f7", right: "nobody"},
		}},
	{name: "end",
		pages: []page{
			rulePages["reversi"][3],
			{name: "reversi.end.2", line: "reversi ......../......../..XXX.../...XX.../..XXX.../......../......../........"},
		},
		exercises: []exercise{
			{ask: askWinner, line: "reversi OOOOOOOO/OOXXXXOO/OXOXXOXO/OXXOOXXO/OXXOOXXO/OXOXXOXO/OOXXXXOO/OOOOOOOO", right: "white"},
			{ask: askBest, line: "reversi OOOOOXXX/OOOOOOXO/OXOOOXO./OOOOOOO./OXOXOOOO/OOXOOOO./OXOOOOOX/XXXXXXXX X", right: "h6"},
		}},
	{name: "corner",
		pages: []page{
			rulePages["reversi"][2],
			{name: "reversi.corner.2", line: "reversi ....X.../....X.../...XXXX./..XXXXXO/...XXOOO/..XX.OOX/...X.OO./.....O.. X",
				marks: "h8"},
		},
		exercises: []exercise{
			{ask: askCorner, line: "reversi ....X.../....X.../...XXXX./..XXXXXO/...XXOOO/..XX.OOX/...X.OO./.....O.. X", right: "h8"},
			{ask: askCorner, line: "reversi ...O.O../OX.OO.../OOXO.XX./OOOXOX../OOXXXO../OOXXOO../OOXXOO../OOOOOOO. O", right: "a1"},
		}},
	{name: "beside",
		pages: []page{
			{name: "reversi.beside.1", line: "reversi ......../......../......../...OX.../...XO.../......../......../........ X", marks: "b2 g2 b7 g7"},
			{name: "reversi.beside.2", line: "reversi ....X.../....X.../...XXXXX/..XXXXXX/...XXOOX/..XX.OOX/...X.OO./.....O.. O", marks: "h8"},
		},
		exercises: []exercise{
			{ask: askSafe, line: "reversi ....X.../....X.../...XXXXX/..XXXXXX/...XXOOX/..XX.OOX/...X.OO./.....O.. O", right: "c3"},
			{ask: askSafe, line: "reversi ...XXXO./....XXX./..OOOXX./...OO.../..OOO.../.O.O.O../O.....O./........ X", right: "h1 c6"},
		}},
	{name: "few",
		pages: []page{
			{name: "reversi.few.1", line: "reversi ...OXX.X/...XXXXX/..XXXOXX/...XXXOX/...XXXOX/...XXXOO/...XX.O./..XXXXXX O", marks: "f7"},
			{name: "reversi.few.2", line: "reversi .OOOOO../..OOXO../..OOXOOO/...OOXOO/.OOOXOOO/..OXXOOO/..XOXO.O/.X.XXO.. X", marks: "c8"},
		},
		exercises: []exercise{
			{ask: askFew, line: "reversi ...OXX.X/...XXXXX/..XXXOXX/...XXXOX/...XXXOX/...XXXOO/...XX.O./..XXXXXX O", right: "f7"},
			{ask: askFew, line: "reversi .OOOOO../..OOXO../..OOXOOO/...OOXOO/.OOOXOOO/..OXXOOO/..XOXO.O/.X.XXO.. X", right: "c8"},
		}},
	{name: "quiet",
		pages: []page{
			{name: "reversi.quiet.1", line: "reversi ...XX.../X.XXXO../.XXXOX../..XXXX../.XXXXXO./.OXOXXO./...XX.O./...XX... O", marks: "c1"},
			{name: "reversi.quiet.2", line: "reversi ......../......O./..XX.O../..XXOX../.XXOXX../.XXXXX../.O.OOOO./...OOX.. X", marks: "e3"},
		},
		exercises: []exercise{
			{ask: askQuiet, line: "reversi ...XX.../X.XXXO../.XXXOX../..XXXX../.XXXXXO./.OXOXXO./...XX.O./...XX... O", right: "c1"},
			{ask: askQuiet, line: "reversi ......../......O./..XX.O../..XXOX../.XXOXX../.XXXXX../.O.OOOO./...OOX.. X", right: "e3"},
		}},
	{name: "skip",
		pages: []page{
			{name: "reversi.skip.1", line: "reversi OOOOOOOO/OXXOOOOO/XXOXOOOO/XXOXOO.O/XXXXOOO./XXXXOO../XXXXXO../XXXXXXO. X", marks: "h8"},
			{name: "reversi.skip.2", line: "reversi ......O./...X..OO/...X..O./..XXXXXX/...XOXOX/..XOOOOX/..XXOOXX/..XOOOXO O", marks: "h3"},
		},
		exercises: []exercise{
			{ask: askSkip, line: "reversi OOOOOOOO/OXXOOOOO/XXOXOOOO/XXOXOO.O/XXXXOOO./XXXXOO../XXXXXO../XXXXXXO. X", right: "h8"},
			{ask: askSkip, line: "reversi ......O./...X..OO/...X..O./..XXXXXX/...XOXOX/..XOOOOX/..XXOOXX/..XOOOXO O", right: "h3"},
		}},
	{name: "wipe",
		pages: []page{
			{name: "reversi.wipe.1", line: "reversi ......../......../...XXX.X/...XXO.X/.XXXXOXX/.....O../......../........ X", marks: "f7"},
			{name: "reversi.wipe.2", line: "reversi ......../......../..X...../...XOOOO/...OXOOO/...OOXOO/...OOOOO/..OOOOOO O", marks: "b2"},
		},
		exercises: []exercise{
			{ask: askWipe, line: "reversi ......../......../...XXX.X/...XXO.X/.XXXXOXX/.....O../......../........ X", right: "f7"},
			{ask: askWipe, line: "reversi ......../......../..X...../...XOOOO/...OXOOO/...OOXOO/...OOOOO/..OOOOOO O", right: "b2"},
		}},
	{name: "parity",
		pages: []page{
			{name: "reversi.parity.1", line: "reversi XXOOOOOO/XXOOOOOO/XXXOXXOO/XXXOXOOO/XOXOOOXO/XOXOOXXX/XOOOOOOO/XO..OOO. X", marks: "c8"},
			{name: "reversi.parity.2", line: "reversi .OOOOOOO/OOOOOX.O/XOXXXXOO/XXOOOOXO/XOXOOXX./XXOOXOX./XXOXXXXO/XXXXXXXX X", marks: "g2"},
		},
		exercises: []exercise{
			{ask: askBest, line: "reversi XXOOOOOO/XXOOOOOO/XXXOXXOO/XXXOXOOO/XOXOOOXO/XOXOOXXX/XOOOOOOO/XO..OOO. X", right: "c8"},
			{ask: askBest, line: "reversi .OOOOOOO/OOOOOX.O/XOXXXXOO/XXOOOOXO/XOXOOXX./XXOOXOX./XXOXXXXO/XXXXXXXX X", right: "g2"},
		}},
	{name: "count",
		pages: []page{
			{name: "reversi.count.1", line: "reversi XXXXXXXX/XOOOOOXO/XXXXXXOO/XXXXXOOO/XOXXOOOO/XXOOXOXO/X...OXOO/...OOOOO X", marks: "d7"},
			{name: "reversi.count.2", line: "reversi ..OOO.O./O..OOOOO/.OOOOXOO/XXOXXOOO/XXOOXXOO/XXXOOOOO/XXXXOOXO/OXXOOOOO X", marks: "a3"},
		},
		exercises: []exercise{
			{ask: askBest, line: "reversi XXXXXXXX/XOOOOOXO/XXXXXXOO/XXXXXOOO/XOXXOOOO/XXOOXOXO/X...OXOO/...OOOOO X", right: "d7"},
			{ask: askBest, line: "reversi ..OOO.O./O..OOOOO/.OOOOXOO/XXOXXOOO/XXOOXXOO/XXXOOOOO/XXXXOOXO/OXXOOOOO X", right: "a3"},
		}},
}}
