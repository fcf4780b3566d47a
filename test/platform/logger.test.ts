import { describe, expect, it } from 'vitest'
import type { Clock } from '../../packages/core/src/platform/clock.ts'
import { createLogger, silentLogger } from '../../packages/core/src/platform/logger.ts'

const at = new Date('2026-03-01T10:20:30.123Z')
const clock: Clock = { now: () => at.getTime(), date: () => at, after: () => () => {} }

function sink(isTTY = false) {
  const lines: string[] = []
  return {
    lines,
    isTTY,
    write: (text: string) => lines.push(text),
    json: () => lines.map((l) => JSON.parse(l)),
  }
}

describe('createLogger', () => {
  it('writes one JSON object per line when the stream is not a terminal', () => {
    const stream = sink()
    createLogger({ stream, clock }).info('ready\nnow', { port: 80, nested: { a: [1] } })
    expect(stream.lines).toHaveLength(1)
    expect(stream.lines[0]).toMatch(/^[^\n]+\n$/)
    expect(stream.json()).toEqual([
      { time: '2026-03-01T10:20:30.123Z', level: 'info', msg: 'ready\nnow', port: 80, nested: { a: [1] } },
    ])
  })

  it('writes text on a terminal, with the stack of an error below', () => {
    const stream = sink(true)
    const log = createLogger({ stream, clock, level: 'debug' })
    log.error('run failed', { run: 'r1', error: new Error('boom') })
    const [line] = stream.lines
    expect(line).toMatch(/10:20:30\.123.*ERROR.*run failed.*run=r1/)
    expect(line?.split('\n')[1]).toContain('    Error: boom')
  })

  it('uses `format` on any stream', () => {
    const [tty, file] = [sink(true), sink()]
    createLogger({ stream: tty, clock, format: 'json' }).info('a')
    createLogger({ stream: file, clock, format: 'pretty' }).info('a', { b: 'c d' })
    expect(tty.json()).toMatchObject([{ msg: 'a' }])
    expect(file.lines).toEqual(['10:20:30.123 INFO  a b="c d"\n'])
  })

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ] as const)('writes at level %s entries of that severity or higher', (level, expected) => {
    const stream = sink()
    const log = createLogger({ stream, clock, level })
    for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name](name)
    expect(stream.json().map((line) => line.level)).toEqual(expected)
  })

  it('writes each of many equal entries', () => {
    const stream = sink()
    const log = createLogger({ stream, clock })
    for (let i = 0; i < 20; i += 1) log.info('same')
    expect(stream.lines).toHaveLength(20)
  })

  it('adds the fields of a child, the nearest taking precedence', () => {
    const stream = sink()
    const log = createLogger({ stream, clock }).child({ a: 1, b: 1 }).child({ b: 2 })
    log.info('x', { c: 3 })
    log.info('y', { a: 9 })
    expect(stream.json()).toMatchObject([
      { a: 1, b: 2, c: 3 },
      { a: 9, b: 2 },
    ])
  })

  it('protects time, level and message from fields of that name', () => {
    const stream = sink()
    createLogger({ stream, clock }).info('real', { level: 'fake', msg: 'fake', args: ['x'], message: 'm' })
    expect(stream.json()).toMatchObject([
      { level: 'info', msg: 'real', _level: 'fake', _msg: 'fake', message: 'm' },
    ])
  })

  it.each(['json', 'pretty'] as const)('redacts secrets from message and fields in %s', (format) => {
    const stream = sink()
    const log = createLogger({ stream, clock, format }).child({ authorization: 's3cr3t' })
    log.error('Bearer s3cr3t', { error: new Error('password=s3cr3t'), nested: { apiKey: 's3cr3t' } })
    expect(stream.lines.join('')).not.toContain('s3cr3t')
  })

  it('prevents forged lines and terminal control sequences', () => {
    const stream = sink()
    createLogger({ stream, clock, format: 'pretty' }).info('a\n10:20 ERROR b\u001b[2J', {
      'k\n': 'v\r\u009b',
    })
    expect(stream.lines).toHaveLength(1)
    expect(stream.lines[0]).not.toMatch(/[\u001b\u009b\r]|\n./)
  })

  it('accepts an empty message and unreadable fields', () => {
    const stream = sink()
    const broken = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    createLogger({ stream, clock }).info('', { broken })
    expect(stream.json()).toMatchObject([{ msg: '', broken: '[unreadable]' }])
  })
})

describe('silentLogger', () => {
  it('accepts all entries and has children', () => {
    expect(silentLogger.child({ a: 1 }).child({}).info('x', {})).toBeUndefined()
  })
})
