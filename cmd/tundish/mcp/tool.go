package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tundish-go/tundish/domain"
)

// tool is how a tool presents itself.
type tool struct {
	name, title, description string
	readOnly                 bool
	idempotent               bool // a second call with the same arguments changes nothing more
	destructive              bool // it may undo what is there
	as                       bool // it is for a subscriber, in the argument as
}

// add registers a tool of the server: schemas come from the types, and numbers keep
// their digits on the way, as they would not through the SDK's own typed tools.
// What run returns besides the structured result is the text of the answer; an
// empty one is the result as JSON.
func add[In, Out any](s *server, to *sdk.Server, t tool, run func(context.Context, In) (Out, string, error)) {
	in := inputSchema[In](t, s.desk.Subscriber)
	to.AddTool(t.described(in, schemaOf[Out]()), func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var input In
		if refused, err := decode(request.Params.Arguments, in, &input); refused != nil || err != nil {
			return refused, err
		}
		out, text, err := run(ctx, input)
		if err != nil {
			return failure(err), nil
		}
		structured := domain.Escape(compact(out))
		if text == "" {
			text = structured
		}
		return &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: json.RawMessage(structured),
		}, nil
	})
}

func (t tool) described(in, out *jsonschema.Schema) *sdk.Tool {
	no := false
	made := &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: in,
		Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.readOnly, IdempotentHint: t.idempotent,
			DestructiveHint: &t.destructive, OpenWorldHint: &no,
		},
	}
	if out != nil {
		made.OutputSchema = out
	}
	return made
}

// inputSchema makes the schema of a type of arguments. With no default subscriber,
// as must be given.
func inputSchema[In any](t tool, subscriber string) *jsonschema.Schema {
	schema := schemaOf[In]()
	if t.as && subscriber == "" {
		schema.Required = append(schema.Required, "as")
	}
	return schema
}

// schemaOf makes the schema of a type; of one without fields to tell there is none.
func schemaOf[T any]() *jsonschema.Schema {
	kind := reflect.TypeFor[T]()
	if kind == reflect.TypeFor[none]() {
		return nil
	}
	schema, err := jsonschema.ForType(kind, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[document](): {Types: []string{"object", "array", "string", "number", "boolean", "null"}},
		reflect.TypeFor[[]int64]():  {Type: typeArray, Items: &jsonschema.Schema{Type: typeInteger}}, // and not null
	}})
	if err != nil {
		panic(err) // the type is one of ours
	}
	return schema
}

// none is the result of a tool that answers with text alone.
type none struct{}

// ofArgument adds the argument to an error about its value.
func ofArgument(name string, err error) error {
	if err == nil {
		return nil
	}
	return &domain.Error{Code: domain.CodeOf(err), Text: name, Err: err}
}

func invalid(remedy, format string, args ...any) error {
	return &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf(format, args...), Remedy: remedy}
}
