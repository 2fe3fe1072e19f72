package app_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// archived is an inbox over a new store that can be exported and imported, which
// that of a house cannot.
func archived(t *testing.T, now int64) (*app.Inbox, *memory.Store) {
	t.Helper()
	c := &clock{}
	c.now.Store(now)
	store := memory.New().Open()
	in, err := app.New(app.Options{Store: store, Clock: c, Expressions: jq.New(), Payloads: payload.New()})
	if err != nil {
		t.Fatal(err)
	}
	return in, store
}

func export(t *testing.T, in *app.Inbox, queue string) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := in.Export(t.Context(), app.Export{Queue: queue}, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lived is an export of an inbox with something of everything.
func lived(t *testing.T) string {
	t.Helper()
	in, _ := archived(t, 1000)
	ctx := context.Background()
	key := "k<ü>"
	for i, text := range []string{`{"n":1.50,"big":1e400}`, `"<&>\u2028"`, "null", `[ 2 ]`, "9223372036854775809"} {
		m := app.Message{Queue: []string{"q", "r"}[i%2], Payload: []byte(text)}
		if i == 0 {
			m.Key, m.Dedupe = &key, "d"
		}
		if i == 2 {
			m.Expires = inbox.Moment{In: 60}
		}
		if i == 3 {
			m.Release = inbox.Moment{In: 60}
		}
		if _, err := in.Publish(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range map[string]*inbox.Rules{"all": rules("consume=on_ack limit=2"), "one": rules("share=one consume=on_ack limit=2 attempts=1")} {
		r.Filter = `.payload != "<a>"`
		if _, err := in.Subscribe(ctx, app.Subscribe{Name: name, Subscriber: "w", Rules: r}); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Pull(ctx, app.Pull{Subscription: name, Subscriber: "w"}, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Ack(ctx, app.Ack{Item: 1, Subscriber: "w", Subscription: name, Note: "two\nlines"}); err != nil {
			t.Fatal(err)
		}
	}
	return export(t, in, "")
}

// TestCARE7_ThereAndBack: what is imported exports to the same bytes, and works.
func TestCARE7_ThereAndBack(t *testing.T) {
	text := lived(t)
	for _, part := range []string{
		`"n":1.50,"big":1e400`, `"acks":[`, `"note":"two\nlines"`, `"leases":[`, `"shown":[`, `"type":"dedupe"`, `"type":"scheduled"`,
		`"expires_at":1060`, `"key":"k<ü>"`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
	in, _ := archived(t, 1001)
	done, err := in.Import(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := (app.Imported{Subscriptions: 2, Bindings: 2, Items: 4, Scheduled: 1, First: 1, Last: 4}); done != want {
		t.Errorf("%+v, want %+v", done, want)
	}
	if again := export(t, in, ""); again != text {
		t.Errorf("it exports to\n%s\nand was\n%s", again, text)
	}
	published, err := in.Publish(t.Context(), app.Message{Queue: "q", Payload: []byte("1")})
	if err != nil || published.ID != 5 {
		t.Errorf("OBJ-1: %+v, %v", published, err)
	}
	var out bytes.Buffer
	if _, err := in.Pull(t.Context(), app.Pull{Subscription: "all", Subscriber: "w"}, &out); err != nil || !strings.Contains(out.String(), "[q#4] 9223372036854775809") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestCARE7_OneQueue: only a queue with what belongs to it.
func TestCARE7_OneQueue(t *testing.T) {
	in, _ := archived(t, 1000)
	if _, err := in.Import(t.Context(), strings.NewReader(lived(t))); err != nil {
		t.Fatal(err)
	}
	text := export(t, in, "r")
	other, _ := archived(t, 1000)
	done, err := other.Import(t.Context(), strings.NewReader(text))
	if want := (app.Imported{Items: 1, Scheduled: 1, First: 2, Last: 2}); err != nil || done != want || strings.Contains(text, `"q"`) {
		t.Errorf("%+v, %v from\n%s", done, err, text)
	}
}

// TestCARE7_WithoutWhatIsBroken: a subscription that cannot be read is left out with
// all that it has on items, and the rest can be imported.
func TestCARE7_WithoutWhatIsBroken(t *testing.T) {
	place := memory.New()
	in, err := app.New(app.Options{Store: place.Open(), Clock: &clock{}, Expressions: jq.New(), Payloads: payload.New()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Import(t.Context(), strings.NewReader(lived(t))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"all", "one"} {
		if err := place.Break(name, "a newer version"); err != nil {
			t.Fatal(err)
		}
		text := export(t, in, "")
		if strings.Contains(text, `"subscription":"`+name) {
			t.Errorf("%s is in\n%s", name, text)
		}
		other, _ := archived(t, 1000)
		if done, err := other.Import(t.Context(), strings.NewReader(text)); err != nil || done.Items != 4 {
			t.Errorf("%+v, %v from\n%s", done, err, text)
		}
	}
}

// TestCARE8_Anew: the items alone, in their order, without those whose time is over.
func TestCARE8_Anew(t *testing.T) {
	in, _ := archived(t, 2000)
	first, err := in.Publish(t.Context(), app.Message{Queue: "q", Payload: []byte("1")})
	if err != nil || first.ID != 1 {
		t.Fatal(first, err)
	}
	if _, err := in.Import(t.Context(), strings.NewReader(lived(t))); domain.CodeOf(err) != domain.Invalid {
		t.Errorf("into an inbox that has items: %v", err)
	}
	done, err := in.ImportItems(t.Context(), strings.NewReader(lived(t)))
	if want := (app.Imported{Items: 3, First: 2, Last: 4, Expired: 1, Waiting: 1}); err != nil || done != want {
		t.Errorf("%+v, %v, want %+v", done, err, want)
	}
	item, err := in.Item(t.Context(), 2)
	if err != nil || string(item.Payload) != `{"n":1.50,"big":1e400}` || item.CreatedAt != 2000 || *item.Key != "k<ü>" || len(item.Acks) != 0 {
		t.Errorf("%+v, %v", item, err)
	}
}

// spoilt are changes of an export that make it one that must be refused, with the
// line that is to blame.
func spoilt() map[string]struct{ old, new, line string } {
	return map[string]struct{ old, new, line string }{
		"no header":               {`{"type":"header"`, `{"type":"item"`, "line 1"},
		"another format":          {`tundish-export`, `other`, "line 1"},
		"two headers":             {`{"type":"subscription","name":"one"`, `{"type":"header","name":"one"`, "line 3"},
		"an unknown type":         {`"type":"dedupe"`, `"type":"color"`, "line 8"},
		"wrong order":             {`{"type":"subscription","name":"one"`, `{"type":"end","lines":2}` + "\n" + `{"type":"subscription","name":"one"`, "line 4"},
		"an unknown field":        {`"created_at":1000`, `"created_at":1000,"x":1`, "line 4"},
		"text behind":             {`"type":"scheduled"`, `"type":"scheduled"}{`, "line 9"},
		"no JSON":                 {`{"type":"dedupe"`, `{type:"dedupe"`, "line 8"},
		"the end missing":         {`{"type":"end","lines":9}` + "\n", "", "line 9"},
		"lines missing":           {`"lines":9`, `"lines":10`, "line 10"},
		"something after the end": {`{"type":"end","lines":9}`, `{"type":"end","lines":9}` + "\n" + `{"type":"end","lines":10}`, "line 11"},
		"ids that fall":           {`"id":2,"queue"`, `"id":1,"queue"`, "line 5"},
		"id 0":                    {`"id":1,"queue"`, `"id":0,"queue"`, "line 4"},
		"a huge id":               {`"id":1,"queue"`, `"id":9223372036854775807,"queue"`, "line 4"},
		"no number":               {`"id":1,"queue"`, `"id":1.5,"queue"`, "line 4"},
		"no queue":                {`"id":1,"queue":"q"`, `"id":1,"queue":""`, "line 4"},
		"no payload":              {`"payload":{"n":1.50,"big":1e400},`, ``, "line 4"},
		"a payload too deep":      {`"payload":{"n":1.50,"big":1e400}`, `"payload":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001), "line 4"},
		"a bad name":              {`"name":"one"`, `"name":"o ne"`, "line 3"},
		"a name twice":            {`"name":"one"`, `"name":"all"`, "line 3"},
		"a bad subscriber":        {`"subscriber":"w","position"`, `"subscriber":"","position"`, "line 2"},
		"a position far ahead":    {`"position":3`, `"position":5`, "line 2"},
		"a scan far ahead":        {`"scan":0`, `"scan":5`, "line 2"},
		"an id above the last":    {`"last_item":4`, `"last_item":3`, "line 7"},
		"a negative position":     {`"position":`, `"position":-`, "line 2"},
		"rules of the future":     {`"share":"all"`, `"share":"some"`, "line 2"},
		"rules without a queue":   {`"rules":{"queue":"q",`, `"rules":{`, "line 2"},
		"an ack of nobody":        {`"owner":"w","at"`, `"owner":"","at"`, "line 4"},
		"an ack without sub":      {`"acks":[{"subscription":"all"`, `"acks":[{"subscription":"none"`, "line 4"},
		"two acks of one sub":     {`"acks":[{"subscription":"all"`, `"acks":[{"subscription":"one"`, "line 4"},
		"a hidden note":           {`two\nlines`, `two\u202elines`, "line 4"},
		"a lease without sub":     {`"leases":[{"subscription":"one"`, `"leases":[{"subscription":"none"`, "line 6"},
		"a mark without binding":  {`"shown":[{"subscription":"all","subscriber":"w"`, `"shown":[{"subscription":"all","subscriber":"x"`, "line 6"},
		"a dedupe of nothing":     {`"id":"d","item":1,`, `"id":"d",`, "line 8"},
		"a dedupe without an id":  {`"id":"d"`, `"id":""`, "line 8"},
		"a number too low":        {`"number":1`, `"number":0`, "line 9"},
		"a version of the future": {`"version":1`, `"version":2`, "version 2"},
		"nothing at all":          {"", "", "there is nothing"},
	}
}

// TestCARE8_AllOrNothing: an export with anything wrong in it stores nothing, and
// the error names the line.
func TestCARE8_AllOrNothing(t *testing.T) {
	text := lived(t)
	for name, c := range spoilt() {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(text, c.old, c.new, 1)
			switch {
			case c.old == "":
				bad = ""
			case bad == text:
				t.Fatalf("there is no %s in\n%s", c.old, text)
			}
			in, _ := archived(t, 1000)
			_, err := in.Import(t.Context(), strings.NewReader(bad))
			if err == nil || !strings.Contains(err.Error(), c.line) {
				t.Errorf("error %v, want one that says %q; of\n%s", err, c.line, bad)
			}
			if _, err := in.ImportItems(t.Context(), strings.NewReader(bad)); err == nil {
				t.Error("the items alone are taken")
			}
			if left := export(t, in, ""); strings.Count(left, "\n") != 2 {
				t.Errorf("it has left\n%s", left)
			}
		})
	}
}

// TestCARE8_LongLine: a line that no export has is not read to its end.
func TestCARE8_LongLine(t *testing.T) {
	in, _ := archived(t, 1000)
	header, _, _ := strings.Cut(lived(t), "\n")
	endless := header + "\n" + strings.Repeat("x", 21<<20)
	_, err := in.Import(t.Context(), strings.NewReader(endless))
	if err == nil || !strings.Contains(err.Error(), "line 2: it is longer than") {
		t.Errorf("%v", err)
	}
}

// FuzzCARE8_Import: no input does anything but be refused in whole, or come back
// when it is exported and imported once more.
func FuzzCARE8_Import(f *testing.F) {
	f.Add(`{"type":"header","format":"tundish-export","version":1}` + "\n" + `{"type":"item","id":3,"queue":"q","payload":1.0}` + "\n" + `{"type":"end","lines":2}`)
	f.Add(`{"type":"header","format":"tundish-export","version":1,"last_item":9}` + "\n" + `{"type":"subscription","name":"s","rules":{"queue":"q"},"bindings":[{"subscriber":"w"}]}` + "\n" +
		`{"type":"item","id":3,"queue":"q","payload":null,"shown":[{"subscription":"s","subscriber":"w"}]}` + "\n" +
		`{"type":"dedupe","queue":"q","id":"x","item":3,"at":1}` + "\n" + `{"type":"scheduled","number":4,"queue":"r","payload":[],"at":5}` + "\n" + `{"type":"end","lines":5}`)
	f.Fuzz(func(t *testing.T, text string) {
		in, _ := archived(t, 1000)
		_, err := in.Import(t.Context(), strings.NewReader(text))
		once := export(t, in, "")
		if err != nil {
			if strings.Count(once, "\n") != 2 {
				t.Fatalf("refused with %v, and left\n%s", err, once)
			}
			return
		}
		other, _ := archived(t, 1000)
		if _, err := other.Import(t.Context(), strings.NewReader(once)); err != nil {
			t.Fatalf("%v of\n%s", err, once)
		}
		if twice := export(t, other, ""); twice != once {
			t.Fatalf("it exports to\n%s\nand then to\n%s", once, twice)
		}
	})
}
