import { describe, expect, it } from 'vitest'
import { ask, assistantsOf, connectAssistant, openQuestion, statusOf } from '../kit/assistant.ts'

describe('an assistant that tries to consent in the place of its user', () => {
  it('cannot do so with any tool, argument or id that it was given', async () => {
    await using question = await openQuestion()
    const { app, office, team, id, credential } = question
    await using client = await connectAssistant(office, credential)
    const first = await ask(client, 'approve', { ids: [id] })
    const received = [...texts(first.data), first.text, ...first.text.split(/[\s`:.,]+/)]
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names.filter((name) => /consent|confirm|agree/.test(name))).toEqual([])
    const values = [...new Set(received)].filter((text) => text !== '' && text.length < 2_000)
    const extra = ['confirmation', 'consent', 'agreed', 'actHash', 'elicited', 'requestState', '_meta']
    for (const value of values.filter((text) => /[0-9A-Z]{26}|true|accept|[0-9a-f]{12}/.test(text))) {
      for (const name of extra) {
        const answer = await ask(client, 'approve', { ids: [id], [name]: value }).catch(() => undefined)
        expect(answer?.data.done, `${name}: ${value}`).not.toBe(true)
      }
    }
    const { consent = '' } = first.data
    for (const { name, inputSchema } of tools) {
      const parameters = Object.keys((inputSchema.properties ?? {}) as object)
      for (const parameter of parameters) {
        for (const value of [consent, [consent], `give ${consent}`, `/consent give ${consent}`])
          await ask(client, name, { [parameter]: value }).catch(() => undefined)
      }
    }
    // What the protocol itself carries stands for no one either, where the client has not said that it can ask.
    for (const requestState of [consent, `${consent} accept`]) {
      const forged = {
        name: 'approve',
        arguments: { ids: [id] },
        inputResponses: { agreed: { action: 'accept', content: {} } },
        requestState,
      }
      const answer = (await client
        .request({ method: 'tools/call', params: forged as never })
        .catch(() => ({}))) as {
        structuredContent?: { done?: boolean }
      }
      expect(answer.structuredContent?.done).not.toBe(true)
    }
    expect(await statusOf(team, id)).toBe('pending')
    expect(await assistantsOf(app, 'approval.resolve')).toEqual([])
    expect(await assistantsOf(app, 'consent.agree')).toEqual([])
  })

  it('is rejected by the endpoint too: a key cannot consent, with or without an assistant header', async () => {
    await using question = await openQuestion()
    const { app, office, team, id, credential } = question
    await using client = await connectAssistant(office, credential)
    const { consent = '' } = (await ask(client, 'approve', { ids: [id] })).data
    const send = (authorization: string, more: Record<string, string> = {}) =>
      app.fetch(`/cli/v1/consents/${consent}/answer`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...more },
        body: JSON.stringify({ agreed: true }),
      })
    const marked = { 'x-copydesk-assistant': 'claude-desktop 1.2' }
    expect((await send(credential)).status).toBe(401)
    expect((await send(credential, marked)).status).toBe(401)
    expect((await send(`Bearer ${team.reviewerToken}`, marked)).status).toBe(403)
    const act = (more: Record<string, string>) =>
      app.fetch(`/cli/v1/approvals/${id}/resolve`, {
        method: 'POST',
        headers: { authorization: credential, 'content-type': 'application/json', ...marked, ...more },
        body: JSON.stringify({ resolution: 'approved' }),
      })
    for (const wrong of [consent, 'yes', '01JZ8K3V9Q4W5X6Y7Z8A9B0C1D'])
      expect((await act({ 'x-copydesk-consent': wrong })).status, wrong).toBe(403)
    expect(await statusOf(team, id)).toBe('pending')
    expect((await send(`Bearer ${team.reviewerToken}`)).status).toBe(200)
  })
})

/** Every text in a value. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}
