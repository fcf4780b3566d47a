import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createTestMailServer, readMail } from '../kit/mail.ts'
import { mail, senderFor } from './mail-sender.ts'

interface Asked {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** A service on 127.0.0.1 that keeps what it is asked, and answers as it is told. */
async function service(answer: (response: ServerResponse, at: number) => void) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      asked.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      })
      answer(response, asked.length)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const taken = (response: ServerResponse) => void response.writeHead(200).end('{"id":"1","MessageId":"1"}')

describe('a mail by a mail service', () => {
  it('is posted with its key, and with the same idempotency key on every try', async () => {
    await using api = await service((response, at) => (at === 1 ? void response.destroy() : taken(response)))
    await using sender = senderFor({ api: { key: 'key-1', baseUrl: api.url } })
    expect(sender.ways).toEqual(['mail_api'])
    await expect(sender.send(mail)).rejects.toMatchObject({ name: 'MailError', final: false, unknown: false })
    expect(await sender.send(mail)).toBe(`<${mail.id}@sender.example>`)
    const [first, second] = api.asked
    expect(second?.body).toBe(first?.body)
    expect(second).toMatchObject({
      path: '/emails',
      headers: { authorization: 'Bearer key-1', 'idempotency-key': mail.id },
    })
    expect(JSON.parse(second?.body ?? '')).toEqual({
      from: 'Copydesk <desk@sender.example>',
      to: ['ada@test.example'],
      subject: 'Grüße',
      text: mail.text,
      html: mail.html,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Mail-Id': mail.id,
        'Message-ID': `<${mail.id}@sender.example>`,
      },
      tags: [{ name: 'mail_id', value: mail.id }],
      attachments: [{ filename: 'a.txt', content_type: 'text/plain', content: 'QQ==' }],
    })
  })

  it.each([
    [422, true],
    [400, true],
    [401, false],
    [429, false],
    [500, false],
  ])('refused with %i is refused for good: %s', async (status, final) => {
    await using api = await service((response) => void response.writeHead(status).end('{"message":"no"}'))
    await using sender = senderFor({ api: { key: 'key-1', baseUrl: api.url } })
    await expect(sender.send(mail)).rejects.toMatchObject({
      final,
      unknown: false,
      message: expect.stringContaining(`${status}`),
    })
  })
})

describe('a mail by a cloud’s mail service', () => {
  const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG'
  const cloud = (baseUrl: string) => ({
    region: 'eu-central-1',
    accessKeyId: 'AKID',
    secretAccessKey,
    baseUrl,
  })

  it.each([
    ['MessageRejected', true],
    ['BadRequestException', true],
    ['SendingPausedException', false],
    ['AccountSuspendedException:http://internal.example/', false],
    ['MailFromDomainNotVerifiedException', false],
  ])('refused as %s is refused for good: %s', async (type, final) => {
    await using api = await service(
      (response) => void response.writeHead(400, { 'x-amzn-errortype': type }).end('{"message":"no"}'),
    )
    await using sender = senderFor({ cloud: cloud(api.url) })
    await expect(sender.send(mail)).rejects.toMatchObject({ final, unknown: false })
  })

  it('is posted as a whole, signed by Signature Version 4', async () => {
    await using api = await service(taken)
    await using sender = senderFor({ cloud: cloud(api.url) })
    await sender.send(mail)
    const [asked] = api.asked
    expect(asked?.path).toBe('/v2/email/outbound-emails')
    expect(asked?.headers['x-amz-date']).toBe('20260410T090000Z')
    expect(asked?.headers.authorization).toBe(signatureOf(asked as Asked, secretAccessKey))
    const { FromEmailAddress, Destination, Content } = JSON.parse(asked?.body ?? '')
    expect([FromEmailAddress, Destination]).toEqual([
      'desk@sender.example',
      { ToAddresses: ['ada@test.example'] },
    ])
    const raw = Buffer.from(Content.Raw.Data, 'base64').toString('latin1')
    expect(readMail(raw).headers.get('message-id')).toBe(`<${mail.id}@sender.example>`)
  })

  it.each([
    ['is lost', (response: ServerResponse) => void response.destroy(), true],
    ['is a fault', (response: ServerResponse) => void response.writeHead(500).end(), true],
    ['asks to wait', (response: ServerResponse) => void response.writeHead(429).end(), false],
  ])('may have been sent when the answer %s', async (_, answer, unknown) => {
    await using api = await service(answer)
    await using sender = senderFor({ cloud: cloud(api.url) })
    await expect(sender.send(mail)).rejects.toMatchObject({ final: false, unknown })
    expect(api.asked).toHaveLength(1)
  })
})

/** As the service computes it, from its documentation. */
function signatureOf({ path, headers, body }: Asked, secret: string): string {
  const named = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? ''
  const lines = named.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const canonical = ['POST', path, '', lines.join(''), named, hash(body)].join('\n')
  const time = String(headers['x-amz-date'])
  const scope = [time.slice(0, 8), 'eu-central-1', 'ses', 'aws4_request']
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), hash(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${secret}`,
  )
  const signature = createHmac('sha256', key).update(toSign).digest('hex')
  return `AWS4-HMAC-SHA256 Credential=AKID/${scope.join('/')}, SignedHeaders=${named}, Signature=${signature}`
}

describe('several ways out', () => {
  it('are taken as a mail says, and the usual one where its way is not configured', async () => {
    await using server = await createTestMailServer()
    await using api = await service(taken)
    const smtp = { host: '127.0.0.1', port: server.port }
    await using sender = senderFor({ smtp, api: { key: 'key-1', baseUrl: api.url } })
    expect(sender.ways).toEqual(['smtp', 'mail_api'])
    await sender.send({ ...mail, via: 'mail_api' })
    await sender.send(mail)
    await sender.send({ ...mail, via: 'cloud_mail' })
    expect([api.asked.length, server.taken.length]).toEqual([1, 2])
    expect(await sender.check()).toBe(
      `the mail server 127.0.0.1 answers; mails go to ${new URL(api.url).host}`,
    )
  })
})
