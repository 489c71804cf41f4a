// An album policy without the kit: apps see and change their own albums, and read the owner's
// shared albums whose title begins with a word.
//
// It speaks io.photobroker.Plugin (Varlink: JSON messages that end with a NUL) on descriptor 3.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// The answer to Describe.
const description = `{"kit": 1, "plugins": [{
	"protocol": "albumPolicy", "name": "family-albums",
	"summary": "An app's own albums, and to read the shared ones whose title begins with a word.",
	"options": [{
		"name": "word", "type": "text", "default": "Family", "optional": true, "secret": false,
		"summary": "What the titles of family albums begin with."}]}]}`

// An error for the broker: a code of io.photobroker.Plugin, and a fix.
type refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

var malformed = &refusal{"failed", "The parameters are missing or of wrong types."}

type call struct {
	Method     string          `json:"method"`
	Parameters json.RawMessage `json:"parameters"`
}

type settings struct {
	Protocol string `json:"protocol"`
	Options  struct {
		Word *string `json:"word"`
	} `json:"options"`
}

type question struct {
	// A pointer, since a question without it must not count as one about full access.
	IsLimited *bool   `json:"isLimited"`
	Albums    []album `json:"albums"`
}

type album struct {
	Identifier string `json:"identifier"`
	Title      string `json:"title"`
	IsOwn      bool   `json:"isOwn"`
	IsShared   bool   `json:"isShared"`
	Source     string `json:"source"`
}

type decision struct {
	Visible   []string `json:"visible"`
	Editable  []string `json:"editable"`
	MayCreate bool     `json:"mayCreate"`
}

func decide(word string, isLimited bool, albums []album) decision {
	// JSON has null for a nil slice, and the broker wants lists.
	made := decision{Visible: []string{}, Editable: []string{}, MayCreate: true}
	for _, album := range albums {
		// The title alone must not decide: an app could name an album of its own "Family" and reach all others.
		isFamily := album.IsShared && strings.HasPrefix(album.Title, word) &&
			(!isLimited || album.Source == "userLibrary")
		if album.IsOwn || isFamily {
			made.Visible = append(made.Visible, album.Identifier)
		}
		if album.IsOwn {
			made.Editable = append(made.Editable, album.Identifier)
		}
	}
	return made
}

type policy struct {
	// Nil before Start.
	word *string
}

func (p *policy) answer(message []byte) (any, *refusal) {
	var asked call
	if json.Unmarshal(message, &asked) != nil {
		return nil, malformed
	}
	switch strings.TrimPrefix(asked.Method, "io.photobroker.Plugin.") {
	case "Describe":
		return json.RawMessage(description), nil
	case "Start":
		var start settings
		if json.Unmarshal(asked.Parameters, &start) != nil || start.Options.Word == nil {
			return nil, malformed
		}
		if start.Protocol == "albumPolicy" {
			p.word = start.Options.Word
			return json.RawMessage(`{"kit": 1}`), nil
		}
	case "DecideAlbums":
		var about question
		if json.Unmarshal(asked.Parameters, &about) != nil || about.IsLimited == nil || p.word == nil {
			return nil, malformed
		}
		return decide(*p.word, *about.IsLimited, about.Albums), nil
	}
	return nil, &refusal{"unsupported", "This plugin is an album policy."}
}

func serve(channel *os.File) error {
	policy := policy{}
	messages := bufio.NewReader(channel)
	for {
		message, err := messages.ReadBytes(0)
		if err != nil {
			return err
		}
		reply, refused := policy.answer(message[:len(message)-1])
		answer := map[string]any{"parameters": reply}
		if refused != nil {
			answer = map[string]any{"error": "io.photobroker.Plugin.PluginError", "parameters": refused}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := channel.Write(append(text, 0)); err != nil {
			return err
		}
	}
}

func main() {
	// Calls come one at a time. A plugin may have 128 threads, and Go starts up to one for each processor.
	runtime.GOMAXPROCS(1)
	if err := serve(os.NewFile(3, "broker")); err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
