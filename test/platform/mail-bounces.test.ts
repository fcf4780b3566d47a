import { describe, expect, it } from 'vitest'
import { readBounceReport } from '../../packages/core/src/platform/mail/bounce-report.ts'
import { refusalKind } from '../../packages/core/src/platform/mail/refusal.ts'
import { isSignedByService, readServiceEvent } from '../../packages/core/src/platform/mail/service-events.ts'
import { bounceReport, complaintReport } from '../kit/bounces.ts'

const mailId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readBounceReport(bytes(text))

describe('a report that a mail came back', () => {
  it.each([
    [{}, { mailId, kind: 'hard', detail: '550 5.1.1 <gone@test.example>: no such user' }],
    // A relay that replaces the Message-ID, as Amazon SES does.
    [
      { original: `Message-ID: <0100018@email.amazonses.com>\r\nX-Mail-Id: ${mailId}` },
      { mailId, kind: 'hard' },
    ],
    [
      { original: 'Subject: none', envelopeId: mailId },
      { mailId, kind: 'hard' },
    ],
    [{ originalType: 'message/rfc822' }, { mailId, kind: 'hard' }],
    [
      { status: '4.4.1', said: 'connect to mx.example: timed out' },
      { mailId, kind: 'soft' },
    ],
    [
      { status: '5.2.2', said: 'smtp; 552 5.2.2 Mailbox full' },
      { mailId, kind: 'soft' },
    ],
    [
      { status: '5.0.0', said: 'smtp; 550 5.1.1 unknown' },
      { mailId, kind: 'hard' },
    ],
    [{ newline: '\n' }, { mailId, kind: 'hard' }],
  ])('names the mail and says what of its address: %j', async (parts, found) => {
    expect(await read(bounceReport({ mailId, ...parts }))).toMatchObject(found)
  })

  it.each([
    ['a mail that is only late', bounceReport({ mailId, action: 'delayed', status: '4.4.1' })],
    ['a mail that arrived', bounceReport({ mailId, action: 'delivered', status: '2.0.0' })],
    [
      'what was refused for its content',
      bounceReport({ mailId, status: '5.7.1', said: 'smtp; 554 5.7.1 Spam' }),
    ],
    ['a mail that was none of ours', bounceReport({ mailId: 'x@y' })],
    [
      'a reply that quotes a mail',
      `From: a@b.example\r\nSubject: Re\r\n\r\n> Message-ID: <${mailId}@x.example>\r\n`,
    ],
    ['a complaint that is none', complaintReport({ mailId, type: 'not-spam' })],
    ['nothing', ''],
    ['noise', '\u0000\u0001--\r\n\r\n'],
    [
      'parts in parts without end',
      `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n'.repeat(5_000)}`,
    ],
  ])('is not %s', async (_, text) => {
    expect(await read(text)).toBeUndefined()
  })

  it('is a complaint where its reader complains', async () => {
    expect(await read(complaintReport({ mailId, type: 'abuse' }))).toEqual({
      mailId,
      kind: 'complaint',
      detail: 'Complaint: abuse',
    })
  })
})

describe('a refusal', () => {
  it.each([
    ['5.1.1', 550, 'hard'],
    ['5.1.10', 556, 'hard'],
    ['5.2.1', 550, 'hard'],
    ['5.2.2', 552, 'soft'],
    ['5.4.4', 550, 'soft'],
    ['4.2.2', 452, 'soft'],
    ['5.1.8', 550, 'none'],
    ['5.7.1', 550, 'none'],
    ['2.0.0', 250, 'none'],
    [undefined, 550, 'hard'],
    [undefined, 552, 'soft'],
    [undefined, 554, 'none'],
    ['nonsense', 421, 'none'],
  ] as const)('with %s and %s says %s of the address', (status, reply, kind) => {
    expect(refusalKind(status, reply)).toBe(kind)
  })
})

describe('an event of the mail service', () => {
  /** From the documentation of Standard Webhooks. */
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const given: Record<string, string> = {
    'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'svix-timestamp': '1614265330',
    'svix-signature': 'v1,old v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const at = 1_614_265_330_000
  const isSigned = (changes: {
    body?: string
    secrets?: string[]
    now?: number
    headers?: Record<string, string>
  }) => {
    const headers = { ...given, ...changes.headers }
    const call = {
      body: bytes(changes.body ?? '{"test": 2432232314}'),
      header: (name: string) => headers[name],
    }
    return isSignedByService(call, { secrets: changes.secrets ?? [secret], now: changes.now ?? at })
  }

  it('is signed with any secret that is valid, not long ago', () => {
    expect(isSigned({})).toBe(true)
    expect(isSigned({ secrets: [`whsec_${btoa('a new secret of ours')}`, secret] })).toBe(true)
    expect(isSigned({ now: at + 299_000 })).toBe(true)
    expect(isSigned({ now: at + 301_000 })).toBe(false)
    expect(isSigned({ now: at - 301_000 })).toBe(false)
    expect(isSigned({ body: '{"test":2432232314}' })).toBe(false)
    expect(isSigned({ secrets: [`whsec_${btoa('an old secret of ours')}`] })).toBe(false)
    expect(isSigned({ headers: { 'svix-id': 'msg_other' } })).toBe(false)
    expect(isSigned({ headers: { 'svix-timestamp': 'now' } })).toBe(false)
    expect(isSigned({ headers: { 'svix-signature': '' } })).toBe(false)
  })

  it.each([
    ['email.bounced', { type: 'Permanent', subType: 'General', message: 'gone' }, 'hard'],
    ['email.bounced', { type: 'Transient', subType: 'MailboxFull', message: 'full' }, 'soft'],
    ['email.bounced', { type: 'Undetermined' }, 'soft'],
    ['email.bounced', { type: 'Transient', subType: 'ContentRejected' }, undefined],
    ['email.complained', undefined, 'complaint'],
    ['email.suppressed', undefined, 'hard'],
    ['email.delivered', undefined, undefined],
  ])('%s %j says %s of the address', (type, bounce, kind) => {
    const event = {
      type,
      created_at: '2026-01-01',
      data: { email_id: 'e', tags: { mail_id: mailId }, bounce },
    }
    const found = readServiceEvent(bytes(JSON.stringify(event)))
    expect(found?.kind).toBe(kind)
    expect(found?.mailId).toBe(kind && mailId)
  })

  it('of a mail that is none of ours says nothing', () => {
    for (const body of [
      '',
      '[]',
      '{"type":"email.bounced","data":{"tags":{"mail_id":"x"}}}',
      '{"type":"email.bounced"}',
    ])
      expect(readServiceEvent(bytes(body))).toBeUndefined()
  })
})
