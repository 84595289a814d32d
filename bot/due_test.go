package bot

import (
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// A match that cannot be read any more does not stop the clocks of the others.
func TestOneBadMatchStopsNoClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := kv.NewMemory()
		d := onPaperOver(t, engine)
		defer d.bot.Close()
		d.slash(1, "play member", "opponent", "2", "game", "gomoku", "color", "black", "clock", "1h")
		d.press(2, d.only(1), "accept", "")
		d.slash(3, "play member", "opponent", "4", "game", "gomoku", "color", "black", "clock", "1h")
		d.press(4, d.only(3), "accept", "")
		bad, good := d.only(1).ID, d.only(3).ID
		if err := engine.Update(t.Context(), func(tx kv.Tx) error {
			return tx.Put(binary.BigEndian.AppendUint64([]byte("g"), uint64(bad)), []byte("no record"))
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		rec, err := d.store.Match(t.Context(), good)
		if err != nil || rec.Phase != game.Over {
			t.Errorf("the good match goes on: %v", err)
		}
	})
}
