import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { composeMail } from '../../packages/core/src/platform/mail/compose.ts'
import { createTestMailServer } from '../kit/mail.ts'
import { mail, senderFor } from './mail-sender.ts'

describe('a mail with DKIM', () => {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 1_024,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const dkim = { domain: 'sender.example', selector: 'desk', privateKey: pair.privateKey }

  it('is signed by SMTP so that its receiver can verify it', async () => {
    await using server = await createTestMailServer()
    await using sender = senderFor({ smtp: { host: '127.0.0.1', port: server.port }, dkim })
    await sender.send(mail)
    const raw = server.taken[0]?.mail.raw ?? ''
    expect(isSigned(raw, pair.publicKey)).toBe(true)
    expect(isSigned(raw.replace('Subject: ', 'Subject: Re: '), pair.publicKey)).toBe(false)
    expect(isSigned(`${raw}More`, pair.publicKey)).toBe(false)
  })

  it('has the header by which one click unsubscribes among those that are signed', async () => {
    const outgoing = {
      ...mail,
      from: 'desk@sender.example',
      messageId: '<1@sender.example>',
      date: new Date(0),
    }
    const raw = (await composeMail(outgoing, dkim)).toString('latin1')
    expect(isSigned(raw, pair.publicKey)).toBe(true)
    const unsubscribe = {
      'List-Unsubscribe': '<https://x.example/u>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }
    const withHeaders = (await composeMail({ ...outgoing, headers: unsubscribe }, dkim)).toString('latin1')
    expect(isSigned(withHeaders, pair.publicKey)).toBe(true)
    expect(isSigned(withHeaders.replace('One-Click', 'Two-Click'), pair.publicKey)).toBe(false)
    expect(isSigned(withHeaders.replace('x.example/u', 'x.example/v'), pair.publicKey)).toBe(false)
  })
})

/** Verifies a mail as RFC 6376 says, by relaxed canonicalization. */
function isSigned(raw: string, publicKey: string): boolean {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw
    .slice(0, end)
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [
        line.slice(0, colon).toLowerCase().trim(),
        line
          .slice(colon + 1)
          .replace(/[ \t]+/g, ' ')
          .trim(),
      ]
    })
  const signature = headers.find(([name]) => name === 'dkim-signature')?.[1] ?? ''
  const tags = Object.fromEntries(
    signature.split(';').map((tag) => {
      const [name = '', ...value] = tag.split('=')
      return [name.trim(), value.join('=').replace(/\s/g, '')]
    }),
  )
  const body = raw
    .slice(end + 4)
    .split('\r\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
    .join('\r\n')
    .replace(/(?:\r\n)*$/, '\r\n')
  if (createHash('sha256').update(body, 'latin1').digest('base64') !== tags['bh']) return false
  const names = (tags['h'] ?? '').toLowerCase().split(':')
  const lines = names.map((name) => `${name}:${headers.find(([one]) => one === name)?.[1] ?? ''}\r\n`)
  const own = `dkim-signature:${signature.replace(/(?<=;|^)(\s*b=)[^;]*/, '$1').trimEnd()}`
  return verify(
    'sha256',
    Buffer.from(lines.join('') + own, 'latin1'),
    createPublicKey(publicKey),
    Buffer.from(tags['b'] ?? '', 'base64'),
  )
}
