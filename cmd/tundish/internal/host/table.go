package host

// Budget is the most bytes of text for a host that takes JSON (HOOK-4).
//
// These hosts cut a text of more than 10,000 characters, or 10,000 bytes of
// UTF-8, counted behind the JSON, in the string that they have read. A text of
// 9,000 bytes has at most 9,000 characters, whatever they are taken to be, so that
// neither count comes near, and some is left for what a host puts around it. How
// much longer the escaped text is makes no difference to them.
const Budget = 9000

// Names are the hosts, in the order in which help names them.
func Names() []string {
	return []string{"claude-code", "codex", "gemini", "opencode", "gaff", "cursor", "copilot", "text"}
}

// Find finds a host by its name.
func Find(name string) (h Host, ok bool) {
	switch name {
	case "claude-code":
		h = claudeCode()
	case "codex":
		h = codex()
	case "gemini":
		h = gemini()
	case "opencode":
		h = opencode()
	case "gaff":
		h = gaff()
	case "cursor":
		h = cursor()
	case "copilot":
		h = copilot()
	case "text":
		h = Host{Proven: true} // whatever puts plain text before a model
	default:
		return Host{}, false
	}
	h.Name = name
	return h, true
}

// claudeCode drops plain text at most events and takes the envelope at all of
// them; at Stop it makes the turn go on. It runs UserPromptSubmit as well when a
// background agent ends.
func claudeCode() Host {
	return Host{
		Proven: true, MaxBytes: Budget, Stdin: true, Tells: true,
		Events: []Event{
			{Name: "SessionStart", Form: Envelope},
			{Name: "UserPromptSubmit", Form: Envelope},
			{Name: "PreToolUse", Form: Envelope},
			{Name: "PostToolUse", Form: Envelope},
			{Name: "PostToolBatch", Form: Envelope},
			{Name: "SubagentStart", Form: Envelope, Child: true},
			{Name: "SubagentStop", Form: Envelope, Child: true, Continues: true},
			{Name: "Stop", Form: Envelope, Continues: true},
		},
	}
}

// codex takes the envelope with no other key beside it, and at its two ends of a
// turn the block form alone. That form anywhere else would block a prompt or
// replace the result of a tool.
func codex() Host {
	return Host{
		Proven: true, MaxBytes: Budget, Stdin: true, Tells: true,
		Events: []Event{
			{Name: "SessionStart", Form: Envelope},
			{Name: "UserPromptSubmit", Form: Envelope},
			{Name: "PreToolUse", Form: Envelope},
			{Name: "PostToolUse", Form: Envelope},
			{Name: "SubagentStart", Form: Envelope, Child: true},
			{Name: "SubagentStop", Form: Block, Child: true, Continues: true},
			{Name: "Stop", Form: Block, Continues: true},
		},
	}
}

// gemini does not tell whether a tool was called by a subagent.
func gemini() Host {
	return Host{
		Proven: true, MaxBytes: Budget, Stdin: true,
		Events: []Event{
			{Name: "SessionStart", Form: Envelope},
			{Name: "BeforeAgent", Form: Envelope},
			{Name: "AfterTool", Form: Envelope},
			{Name: "AfterAgent", Form: Deny, Continues: true},
		},
	}
}

// opencode runs our plugin, which tells it all and takes plain text. At
// session.idle it sends the text as a prompt.
func opencode() Host {
	return Host{
		Proven: true, MaxBytes: Budget, Stdin: true, Tells: true,
		Events: []Event{
			{Name: "chat.message", Form: Text},
			{Name: "tool.execute.after", Form: Text},
			{Name: "session.idle", Form: Text, Continues: true},
		},
	}
}

// gaff gives its handlers an empty standard input, and cuts at the size that its
// configuration says.
func gaff() Host {
	return Host{
		Proven: true, Variable: "GAFF_EVENT",
		Events: []Event{
			{Name: "session_start", Form: Text},
			{Name: "prompt", Form: Text},
			{Name: "tool_batch", Form: Text},
			{Name: "stop", Form: Text, Continues: true},
		},
	}
}

// cursor takes text when a session starts, behind tools, and as a message that
// follows on a turn.
func cursor() Host {
	return Host{
		MaxBytes: Budget, Stdin: true,
		Events: []Event{
			{Name: "sessionStart", Form: Context},
			{Name: "postToolUse", Form: Context},
			{Name: "stop", Form: Followup, Continues: true},
		},
	}
}

// copilot names the event on standard input only for hooks configured under other
// names than these; with these, --event has to tell.
func copilot() Host {
	return Host{
		MaxBytes: Budget, Stdin: true,
		Events: []Event{
			{Name: "sessionStart", Form: Addition},
			{Name: "postToolUse", Form: Addition},
			{Name: "agentStop", Form: Block, Continues: true},
		},
	}
}
