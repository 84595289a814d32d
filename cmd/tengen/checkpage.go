package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"tengen/bot/discord"
)

// Bounds of a question to the page's address.
const (
	pageAnswersIn = 5 * time.Second
	pageRead      = 128 << 10 // bytes
)

// pageMark is in each document of our page.
var pageMark = []byte(`id="boot"`)

// checkPage says what the board as a page has, and what is missing for each of its ways. a is zero where Discord did
// not answer.
func (h *hosting) checkPage(ctx context.Context, out io.Writer, d *discord.Adapter, a discord.Application) {
	web := h.config.Web
	if web.Address == "" {
		fmt.Fprintln(out, "The board as a page is off: web.address is empty.")
		return
	}
	fmt.Fprintf(out, "The board as a page is on: it listens at %s, and links lead to %s.\n", web.Address, web.URL)
	fmt.Fprintf(out, "%s %s.\n", web.URL, h.pageAt(ctx, web.URL+"/activity/",
		"is the program running, and does the port or the proxy lead to web.address?"))
	secret, err := h.config.clientSecret(os.Getenv)
	switch {
	case err != nil:
		fmt.Fprintf(out, "The client secret cannot be read: %v.\n", err)
		return
	case secret == "":
		fmt.Fprintln(out, "There is no client secret: boards open in browsers, and not inside Discord "+
			"(web.client_secret; the OAuth2 page of the Developer Portal shows it).")
		return
	case a.ID == 0:
		fmt.Fprintln(out, "Whether boards open inside Discord was not checked: Discord could not be asked.")
		return
	case !a.Activity:
		fmt.Fprintln(out, "Boards do not open inside Discord: the application has no Activity "+
			"(the Activities page of the Developer Portal switches it on).")
		return
	}
	fmt.Fprintf(out, "The application has an Activity. %s.\n", entryPoint(d.EntryPoint(ctx, a.ID)))
	proxy := fmt.Sprintf("https://%d.discordsays.com", a.ID)
	fmt.Fprintf(out, "%s %s.\n", proxy, h.pageAt(ctx, proxy+"/",
		"are the URL mappings of the Developer Portal those of docs/page.md?"))
}

// entryPoint words who answers the entry point of the Activity.
func entryPoint(e discord.Entry, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("Its entry point could not be read (%v)", err)
	case e == discord.EntryMissing:
		return "It has no entry point: switch Activities off and on again, and Discord makes one"
	case e == discord.EntryTheirs:
		return "Its entry point is Discord's: the next start makes it ours"
	}
	return "Its entry point is ours"
}

// plainCause is why an address does not answer, without the address.
func plainCause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// pageAt says whether our page answers at an address, or what else does. It never takes long.
func (h *hosting) pageAt(ctx context.Context, address, advice string) string {
	ctx, cancel := context.WithTimeout(ctx, pageAnswersIn)
	defer cancel()
	client := http.Client{Transport: h.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "is no address"
	}
	p, err := client.Do(q)
	if err != nil {
		return fmt.Sprintf("does not answer (%v): %s", plainCause(err), advice)
	}
	defer p.Body.Close()
	body, err := io.ReadAll(io.LimitReader(p.Body, pageRead))
	switch {
	case err != nil:
		return fmt.Sprintf("breaks off (%v): %s", plainCause(err), advice)
	case p.StatusCode != http.StatusOK || !bytes.Contains(body, pageMark):
		return fmt.Sprintf("does not lead to this program (status %d): %s", p.StatusCode, advice)
	}
	return "leads to this program"
}

// pageSecret is the client secret by which the Activity shows our page; empty where there is no page.
func (c config) pageSecret(getenv func(string) string) (string, error) {
	if c.Web.Address == "" {
		return "", nil
	}
	return c.clientSecret(getenv)
}
