// Package reversi plays Reversi: bitboards, a pattern evaluation trained by cmd/lab, a
// selective search before the endgame and an exact one in it. It keeps no state between
// searches and knows no protocol. Start from Search.
package reversi
