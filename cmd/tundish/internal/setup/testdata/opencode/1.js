// Written by "tundish init opencode", which writes it anew each time: edits are lost.
// It runs the command below when a prompt is sent, when a tool has answered, and when
// the session goes idle, and gives the model what the command printed.
import { spawn } from "node:child_process"

const command = ["tundish"]
const patience = 5000 // milliseconds

// end kills the command with all that it started: it leads a process group.
function end(child) {
  try {
    if (process.platform === "win32") child.kill("SIGKILL")
    else process.kill(-child.pid, "SIGKILL")
  } catch {
    // it has ended by itself
  }
}

// mail resolves to what the command printed; to nothing when it failed or was too slow.
function mail(folder, event) {
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), {
      cwd: folder,
      detached: process.platform !== "win32",
      stdio: ["pipe", "pipe", "ignore"],
    })
    const printed = []
    const timer = setTimeout(() => end(child), patience)
    const answer = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    child.once("error", () => answer(""))
    child.once("close", (code) => answer(code === 0 ? Buffer.concat(printed).toString("utf8").trim() : ""))
    child.stdout.on("data", (part) => printed.push(part))
    child.stdin.once("error", () => {}) // the command need not read
    child.stdin.end(JSON.stringify(event))
  })
}

export const TundishPlugin = async ({ client, directory }) => {
  // ask tells the command where it is; a session with a parent is a subagent's.
  const ask = async (name, session) => {
    const event = { hook_event_name: name, session_id: session, cwd: directory }
    try {
      const known = await client.session.get({ path: { id: session } })
      if (known.data?.parentID) event.agent_id = session
      return await mail(directory, event)
    } catch {
      return ""
    }
  }
  return {
    "chat.message": async ({ sessionID }, output) => {
      const text = await ask("chat.message", sessionID)
      if (text === "") return
      const messageID = output.message.id
      const id = messageID.replace(/^msg/, "prt") + "tundish"
      output.parts.push({ id, sessionID, messageID, type: "text", text, synthetic: true })
    },
    "tool.execute.after": async ({ sessionID }, output) => {
      const text = await ask("tool.execute.after", sessionID)
      if (text !== "") output.output = `${output.output}\n\n${text}`
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      const id = event.properties.sessionID
      const text = await ask("session.idle", id)
      if (text !== "") await client.session.prompt({ path: { id }, body: { parts: [{ type: "text", text }] } })
    },
  }
}
