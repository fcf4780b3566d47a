import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { record, type Recording } from './recording.ts'

let app: TestApp
let team: Team

beforeAll(async () => {
  app = await createTestApp({ worker: false })
  team = await app.team()
})
afterAll(() => app[Symbol.asyncDispose]())

const surfaces = ['dashboard', 'dm', 'mobile', 'inbox'] as const

/** A member's wish, of which the people of every surface are told. */
const wish = (topic: string) => team.member.call('dashboard', 'POST /blog-requests', { body: { topic } })

const titles = ({ heard }: Recording) =>
  heard.map(({ data }) => String(data['title']).replace('Blog request: ', ''))

const heardOf = (recording: Recording, topic: string) =>
  app.until(async () => titles(recording).includes(topic), `it is told of ${topic}`)

describe.each(surfaces)('the stream of %s', (surface) => {
  const listen = (stack: AsyncDisposableStack, after?: string) =>
    record(app, stack, { surface, after, token: surface === 'dm' ? team.reviewerToken : team.adminToken })

  it('misses nothing when it was cut before it had told anything', async () => {
    await using stack = new AsyncDisposableStack()
    const recording = await listen(stack)
    recording.cut()
    await wish('One')
    recording.mend()
    await app.until(async () => recording.opened() === 2, 'it is followed again')
    await wish('Two')
    await heardOf(recording, 'Two')
    expect(titles(recording)).toEqual(['One', 'Two'])
  })

  it('repeats nothing when it was cut after it had been taken up in the middle', async () => {
    await using stack = new AsyncDisposableStack()
    const first = await listen(stack)
    await wish('Three')
    await wish('Four')
    await heardOf(first, 'Four')
    const second = await listen(stack, first.heard[0]?.id)
    await heardOf(second, 'Four')
    second.cut()
    await wish('Five')
    second.mend()
    await heardOf(second, 'Five')
    expect(titles(second)).toEqual(['Four', 'Five'])
  })
})
