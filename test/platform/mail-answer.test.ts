import { describe, expect, it } from 'vitest'
import { answeredMessages, mailIdIn } from '../../packages/core/src/platform/mail/answer.ts'

const first = '01KNV9X7M0Y8TPXHY4N74S82M1'
const second = '01KNV9X7M0Y8TPXHY4N74S82M2'
const read = (...lines: string[]) => answeredMessages(Buffer.from(`${lines.join('\r\n')}\r\n\r\nThank you`))

describe('answeredMessages', () => {
  it('names the mail that is answered first, then those before it', () => {
    const references = `References: <${second}@sender.example>\r\n <${first}@sender.example> <other@site.example>`
    const [ofFirst, ofSecond] = [`${first}@sender.example`, `${second}@sender.example`]
    const other = 'other@site.example'
    expect(read(`In-Reply-To: <${ofFirst}>`, references)).toEqual([ofFirst, other, ofSecond])
    expect(read(references)).toEqual([other, ofFirst, ofSecond])
    expect(answeredMessages(Buffer.from(`in-reply-to:<${first}@x>\n\nHello`))).toEqual([`${first}@x`])
  })

  it.each([
    'Auto-Submitted: auto-replied',
    'Precedence: auto_reply',
    'Precedence: Bulk',
    'X-Autoreply: yes',
    'X-Auto-Response-Suppress: All',
  ])('takes %s for no answer of a person', (header) => {
    expect(read(header, `In-Reply-To: <${first}@sender.example>`)).toEqual([])
  })

  it('takes Auto-Submitted: no for a person', () => {
    expect(read('Auto-Submitted: no', `In-Reply-To: <${first}@sender.example>`)).toHaveLength(1)
  })

  it('finds none in any other mail, and looks at no text', () => {
    expect(read('Subject: Hello', `In-Reply-To: ${first}@sender.example`)).toEqual([])
    expect(answeredMessages(Buffer.from(`Subject: Hello\n\nIn-Reply-To: <${first}@sender.example>`))).toEqual(
      [],
    )
    expect(answeredMessages(Buffer.alloc(0))).toEqual([])
    expect(answeredMessages(Buffer.alloc(1_000_000, '<0'))).toEqual([])
    const many = Array.from(
      { length: 5_000 },
      (_, n) => `<01KNV9X7M0Y8TPXHY4N7${String(n).padStart(6, '0')}@x>`,
    )
    expect(read(`References: ${many.join(' ')}`)).toHaveLength(100)
  })
})

describe('mailIdIn', () => {
  it('reads the id of a mail of ours, whatever has become of its letters', () => {
    expect(mailIdIn(`${first.toLowerCase()}@sender.example`)).toBe(first)
    for (const other of ['other@site.example', first, `<${first}@x>`, `Z${first.slice(1)}@x`])
      expect(mailIdIn(other)).toBeUndefined()
  })
})
