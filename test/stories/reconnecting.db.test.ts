import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { type Recording, record } from './recording.ts'

let app: TestApp
let team: Team

beforeAll(async () => {
  app = await createTestApp({ worker: false })
  team = await app.team()
})
afterAll(() => app[Symbol.asyncDispose]())

const surfaces = ['dashboard', 'dm', 'mobile', 'inbox'] as const

/** A member's request, of which the users of every surface are notified. */
const wish = (topic: string) => team.member.call('dashboard', 'POST /blog-requests', { body: { topic } })

const titles = ({ heard }: Recording) =>
  heard.map(({ data }) => String(data['title']).replace('Blog request: ', ''))

const heardOf = (recording: Recording, topic: string) =>
  app.until(async () => titles(recording).includes(topic), `it is told of ${topic}`)

describe.each(surfaces)('the stream of %s', (surface) => {
  const listen = (stack: AsyncDisposableStack, after?: string) =>
    record(app, stack, { surface, after, token: surface === 'dm' ? team.reviewerToken : team.adminToken })

  it('misses nothing when it was disconnected before the first event', async () => {
    await using stack = new AsyncDisposableStack()
    const recording = await listen(stack)
    recording.cut()
    await wish('One')
    recording.reconnect()
    await app.until(async () => recording.opened() === 2, 'it is followed again')
    await wish('Two')
    await heardOf(recording, 'Two')
    expect(titles(recording)).toEqual(['One', 'Two'])
  })

  it('repeats nothing when it was disconnected after a resume', async () => {
    await using stack = new AsyncDisposableStack()
    const first = await listen(stack)
    await wish('Three')
    await wish('Four')
    await heardOf(first, 'Four')
    const second = await listen(stack, first.heard[0]?.id)
    await heardOf(second, 'Four')
    second.cut()
    await wish('Five')
    second.reconnect()
    await heardOf(second, 'Five')
    expect(titles(second)).toEqual(['Four', 'Five'])
  })
})
