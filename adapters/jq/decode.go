package jq

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNumber is the longest number, in bytes, that an expression may see: turning
// decimal digits into binary takes more than linear time.
const maxNumber = 1024

// decoder reads JSON into the engine's types.
type decoder struct {
	*jsontext.Decoder
	known   orders
	nodes   int // values read, and some more for each object
	largest int // keys of the largest object
	longest int // bytes of the longest text
}

// decode reads one JSON value into the engine's types. Numbers keep their text,
// objects the order of their keys. A value of more nodes than an evaluation may
// build is an error.
func (r *run) decode(text []byte) (any, error) {
	d := decoder{
		Decoder: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true)),
		known:   r.known,
	}
	v, err := d.next()
	r.largest, r.longest = max(r.largest, d.largest), max(r.longest, d.longest)
	r.read = d.nodes
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows the JSON value")
	}
	return v, nil
}

// next reads the next value. The tokenizer bounds its depth.
func (d *decoder) next() (any, error) {
	if d.nodes++; d.nodes > maxNodes {
		return nil, errors.New("it has more than 1000000 values")
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, fmt.Errorf("invalid JSON: %w", err)
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		text := token.String()
		d.longest = max(d.longest, len(text))
		return text, nil
	case '0':
		text := token.String()
		if len(text) > maxNumber {
			return nil, fmt.Errorf("a number has more than %d digits", maxNumber)
		}
		return spelled(text), nil
	case '[':
		return d.array()
	default:
		return d.object()
	}
}

// spelled returns a number that prints as text. An integer is turned into binary
// at once, and not each time that it is looked at.
func spelled(text string) any {
	if strings.ContainsAny(text, ".eE") || text == "-0" {
		return json.Number(text)
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if n, ok := new(big.Int).SetString(text, 10); ok {
		return n
	}
	return json.Number(text)
}

func (d *decoder) array() (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		v, err := d.next()
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := d.ReadToken()
	return array, err
}

func (d *decoder) object() (any, error) {
	d.nodes += 3 // its table and the order of its keys
	object := map[string]any{}
	var keys []string
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("invalid JSON: %w", err)
		}
		key := name.String()
		v, err := d.next()
		if err != nil {
			return nil, err
		}
		if _, repeated := object[key]; !repeated {
			keys = append(keys, key)
		}
		object[key] = v
	}
	_, err := d.ReadToken()
	d.known.note(object, keys)
	d.largest = max(d.largest, len(object))
	return object, err
}
