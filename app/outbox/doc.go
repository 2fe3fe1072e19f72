// Package outbox is the embedding API of the push half: a prompt for an agent's
// session is accepted and durable at once, and delivered by a worker that has
// nothing to do with whoever accepted it.
//
// A program accepts with [Service.Accept] and, in the same process or in others,
// delivers with [Service.Run]. Several services on one store work together: a lane,
// which is one session of one workspace, belongs to one worker at a time by a lease
// whose token is the fence.
//
// The rules are in domain/outbox. Each operation here is one unit of work on one
// lane: it loads facts, asks [outbox.Policy.Next], and stores the answer. Sends,
// verifications, probes and hooks run outside of it.
package outbox
