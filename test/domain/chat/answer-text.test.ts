import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnswerText } from '../../../packages/core/src/domain/chat/answer-text.ts'
import { maxAnswerChars } from '../../../packages/core/src/domain/chat/schemas.ts'
import { cpuOf } from '../../kit/turns.ts'

const id = '01JZ8K3V9Q4W5X6Y7Z8A9B0C1D'

/** What is let through of pieces of text, with sources 1 to 3. */
function through(...pieces: string[]) {
  const sent: string[] = []
  const answer = createAnswerText(
    (n) => n >= 1 && n <= 3,
    (delta) => void sent.push(delta),
  )
  for (const piece of pieces) answer.write(piece)
  answer.flush()
  expect(sent.join('')).toBe(answer.text)
  return { text: answer.text, cited: [...answer.cited] }
}

describe('createAnswerText', () => {
  it.each([
    ['Rye [1].', 'Rye [1].', [1]],
    ['Rye [1, 3] and [2][2].', 'Rye [1][3] and [2][2].', [1, 3, 2]],
    ['Rye [^2].', 'Rye [2].', [2]],
    ['Rye [4]. Oats [0][12345].', 'Rye. Oats[12345].', []],
    ['So! [1] And![2]', 'So! [1] And![2]', [1, 2]],
    [
      '[1](http://evil.example) [2]: http://evil.example',
      '[1] (http://evil.example) [2] : http://evil.example',
      [1, 2],
    ],
    [`[Post 12](/approvals/${id}) (now)`, `[Post 12](/approvals/${id}) (now)`, []],
    [`[Post](/users/${id}) [a][b]`, `[Post] (/users/${id}) [a][b]`, []],
    [
      '![x](http://evil.example/1.png) ![x][y]\n[y]: //evil',
      '[x] (http://evil.example/1.png) [x][y]\n[y] : //evil',
      [],
    ],
    ['<img src=x> a < b <https://evil.example>', '‹img src=x> a < b ‹https://evil.example>', []],
    ['a\u0000b\u001b[31mc\td\n', 'ab[31mc\td\n', []],
  ])('lets of %j through %j', (raw, text, cited) => {
    expect(through(raw)).toEqual({ text, cited })
  })

  it('lets the same through however a text is cut into pieces', () => {
    const marks = ['[', ']', '(', ')', '!', '<', '^', ':', ' ', '  ', '1', '2', '9', ', ', ';', '\n', '</b>']
    const words = [
      'word',
      'http://e.example',
      '/approvals/',
      id,
      `](/activities/${id})`,
      '[1]',
      '[7]',
      ' [2, 9]',
    ]
    const part = fc.constantFrom(...marks, ...words, '![x](y)')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 25 }), fc.array(fc.nat(200)), (parts, cuts) => {
        const raw = parts.join('')
        const places = [0, ...cuts.map((at) => at % (raw.length + 1)).toSorted((a, b) => a - b), raw.length]
        const pieces = places.slice(1).map((end, at) => raw.slice(places[at], end))
        expect(through(...pieces)).toEqual(through(raw))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([' ', '\t', ' ! ', ' [1', '[', '<!', ']('])('takes linear time for %j', (piece) => {
    const write = (length: number) => {
      const pieces = Array.from({ length: 100 }, () => piece.repeat(Math.ceil(length / 100 / piece.length)))
      return cpuOf(() => through(...pieces, 'x'), 1)
    }
    const [short, long] = [write(20_000), write(80_000)]
    // With the square it would be sixteen times. What is below some milliseconds says nothing.
    expect(long).toBeLessThan(Math.max(short, 10) * 8)
  })

  it('ends where an answer is as long as it may be', () => {
    const { text } = through('x'.repeat(maxAnswerChars), 'y [1]')
    expect(text).toHaveLength(maxAnswerChars)
  })
})
