import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLiveText } from '../../packages/server/src/commands/demo/live.ts'
import { createPaint } from '../../packages/server/src/commands/demo/show.ts'

/** A screen without colours, and what is on it. */
function screen() {
  let shown = ''
  const out = new Writable({
    write(part, _encoding, done) {
      shown += String(part)
      done()
    },
  })
  return { out, live: createLiveText(out, createPaint(false)), shown: () => shown }
}

const start = (activityId: string, title: string) => ({ activityId, title, agentRole: 'writer', attempt: 1 })

describe('the text of the demo', () => {
  it('is whole before an approval is shown, also of another text that is on the screen already', async () => {
    const { live, out, shown } = screen()
    live.started(start('first', 'First'))
    live.text('first', 'One.')
    live.ended('first')
    live.started(start('second', 'Second'))
    live.text('second', 'Half a sentence')
    const paused = live.pauseAfter('first').then(() => out.write('QUESTION\n'))
    live.started(start('third', 'Third'))
    live.text('third', 'Three.')
    live.text('second', ' and the other half.')
    live.ended('second')
    await paused
    expect(shown()).toMatch(
      /One\.\n\n✎ Second \(writer\)\n {2}Half a sentence and the other half\.\nQUESTION\n$/,
    )
    live.ended('third')
    live.goOn()
    expect(shown()).toMatch(/QUESTION\n\n✎ Third \(writer\)\n {2}Three\.\n$/)
  })

  it('waits for an approval whose own text is still to come', async () => {
    const { live, out, shown } = screen()
    live.started(start('first', 'First'))
    live.text('first', 'One.')
    live.started(start('second', 'Second'))
    live.text('second', 'Two.')
    const paused = live.pauseAfter('second').then(() => out.write('QUESTION\n'))
    live.ended('first')
    live.ended('second')
    live.started(start('third', 'Third'))
    live.text('third', 'Three.')
    await paused
    expect(shown()).toMatch(/One\.\n\n✎ Second \(writer\)\n {2}Two\.\nQUESTION\n$/)
  })

  it('stops at once where no text is on the screen', async () => {
    const { live, shown } = screen()
    live.started(start('first', 'First'))
    await live.pauseAfter('another')
    live.text('first', 'One.')
    expect(shown()).toBe('')
    live.goOn()
    expect(shown()).toMatch(/✎ First \(writer\)\n {2}One\./)
  })
})
