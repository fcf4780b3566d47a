import { describe, expect, it } from 'vitest'
import { password } from '../kit/app.ts'
import { ask, assistantKey, connectAssistant, openAssistant } from '../kit/assistant.ts'
import { onScreen } from './screen.ts'
import { createStaff } from './staff.ts'

/** An assistant that wants to pause an agent, and its person, who is logged in. */
async function asking() {
  await using stack = new AsyncDisposableStack()
  const staff = stack.use(await createStaff())
  const { app, team, url } = staff.harness
  const office = stack.use(await openAssistant(app))
  const { key, credential } = await assistantKey(app, team.reviewerId)
  const client = stack.use(await connectAssistant(office, credential))
  const act = { target: 'social_writer', tenant: team.tenantId }
  const pause = () => ask(client, 'pause', act)
  const { consent = '' } = (await pause()).data
  const person = { env: {} }
  const login = ['login', url, '--email', 'reviewer.1.tenant-1@test.example', '--password-stdin']
  expect((await staff.run(login, { ...person, input: password })).code).toBe(0)
  const owned = stack.move()
  return { staff, pause, consent, key, person, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

describe('copydesk consent', () => {
  it('shows the operation of an assistant, and accepts the consent of its user at a terminal', async () => {
    await using it = await asking()
    const { staff, pause, consent, person } = it
    const list = await staff.run(['consent', 'list'], person)
    expect(list.stdout).toMatch(new RegExp(`${consent}\tpending\tclaude-desktop 1.2\t/pause social_writer`))
    const shown = await staff.json<{ status: string }>(['consent', 'show', consent], person)
    expect(shown.status).toBe('pending')
    using screen = await onScreen(['consent', 'give', consent], { cwd: staff.home, env: {} })
    await screen.shows('Give this consent?')
    expect(screen.lines().join('\n')).toContain('claude-desktop 1.2 wants to run this in your name')
    screen.type('y')
    await screen.shows('Tell it to continue')
    expect(await screen.ended).toBe(0)
    expect(await pause()).toMatchObject({ failed: false, data: { done: true } })
    expect(await staff.json<unknown[]>(['consent', 'list'], person)).toEqual([])
  })

  it('rejects a consent without a terminal, and with a key', async () => {
    await using it = await asking()
    const { staff, pause, consent, key, person } = it
    const piped = await staff.run(['consent', 'give', consent], { ...person, input: 'y\n' })
    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('there is none here') })
    const env = { COPYDESK_URL: staff.harness.url, COPYDESK_API_KEY: key }
    using screen = await onScreen(['consent', 'give', consent], { cwd: staff.home, env })
    await screen.shows('is an API key. Log in with')
    expect(await screen.ended).toBe(4)
    expect((await staff.run(['consent', 'decline', consent], { env })).code).toBe(4)
    const direct = ['api', 'POST', `/consents/${consent}/answer`, '--body', '{"agreed":true}']
    expect((await staff.run(direct, { env })).code).toBe(4)
    expect((await pause()).data.done).toBe(false)
  })

  it('declines, and the assistant is informed', async () => {
    await using it = await asking()
    const { staff, pause, consent, person } = it
    expect((await staff.run(['consent', 'decline', consent], person)).stdout).toContain('declined')
    expect(await pause()).toMatchObject({ failed: true, text: expect.stringContaining('did not agree') })
    const late = await staff.run(['consent', 'decline', consent], person)
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('did not agree') })
  })
})
