import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { mailSecret, signedByService } from '../../kit/bounces.ts'
import { quiet } from '../../kit/mail.ts'
import { createTopicServer, topicArn, topicMessage } from '../../kit/topic.ts'

const call = (app: TestApp, body: string, signing: Parameters<typeof signedByService>[1] = {}) =>
  app.fetch('/admin/v1/mail/webhook', { method: 'POST', headers: signedByService(body, signing), body })

describe('admin.mail.webhook', () => {
  it('turns an address off whose mail came back or whose reader complains, once, and takes all else', async () => {
    await using app = await createTestApp({
      mail: { webhookSecrets: [mailSecret] },
    })
    const { tenantId } = await app.team()
    for (const id of ['01ARZ3NDEKTSV4RRFFQ69G5FA1', '01ARZ3NDEKTSV4RRFFQ69G5FA2'])
      await app.db.write((tx) =>
        tx.run('insert into sent_mails (id, tenant_id, address, sent_on) values (?, ?, ?, ?)', [
          id,
          tenantId,
          `${id.slice(-1)}@test.example`,
          new Date(),
        ]),
      )
    const event = (type: string, id: string, bounce?: object) =>
      JSON.stringify({
        type,
        data: { email_id: 'e', tags: { mail_id: `01ARZ3NDEKTSV4RRFFQ69G5FA${id}` }, bounce },
      })
    const gone = event('email.bounced', '1', { type: 'Permanent', subType: 'General', message: 'gone' })
    for (const body of [gone, gone, event('email.complained', '2'), event('email.opened', '1'), '{', '[]']) {
      const answer = await call(app, body)
      expect([answer.status, await answer.json()]).toEqual([200, { received: true }])
    }
    await quiet(app)
    const { data } = await app.copydesk.asSystem().mail.suppressed()
    expect(data.map(({ address, reason }) => [address, reason])).toEqual([
      ['2@test.example', 'complaint'],
      ['1@test.example', 'hard_bounce'],
    ])
    for (const options of [{ secret: `whsec_${btoa('some other secret')}` }, { at: Date.now() - 600_000 }])
      expect((await call(app, gone, options)).status).toBe(401)
  })

  it('is not there where no mail service reports', async () => {
    await using app = await createTestApp({ worker: false })
    expect((await call(app, '{}')).status).toBe(404)
  })

  it('takes what Amazon SES tells by the topic that is configured, and nothing that its topic has not signed', async () => {
    using topic = await createTopicServer()
    await using app = await createTestApp({
      allowHosts: ['127.0.0.1'],
      mail: {
        cloud: {
          region: 'eu-west-1',
          accessKeyId: 'AKIA',
          secretAccessKey: 's',
          topic: { arn: topicArn, baseUrl: topic.url },
        },
      },
    })
    const { tenantId } = await app.team()
    for (const id of ['01ARZ3NDEKTSV4RRFFQ69G5FB1', '01ARZ3NDEKTSV4RRFFQ69G5FB2'])
      await app.db.write((tx) =>
        tx.run('insert into sent_mails (id, tenant_id, address, sent_on) values (?, ?, ?, ?)', [
          id,
          tenantId,
          `${id.slice(-1)}@test.example`,
          new Date(),
        ]),
      )
    const post = (message: object) =>
      app.fetch('/admin/v1/mail/webhook', {
        method: 'POST',
        headers: { 'x-amz-sns-message-type': 'Notification', 'content-type': 'text/plain; charset=UTF-8' },
        body: JSON.stringify(message),
      })
    const told = (id: string, event: object) =>
      JSON.stringify({
        mail: { messageId: 'ses', headers: [{ name: 'X-Mail-Id', value: `01ARZ3NDEKTSV4RRFFQ69G5FB${id}` }] },
        ...event,
      })
    const signed = { Type: 'Notification', SigningCertURL: topic.certificateUrl }
    const gone = told('1', {
      notificationType: 'Bounce',
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          { emailAddress: '1@test.example', diagnosticCode: 'smtp; 550 5.1.1 no such user' },
        ],
      },
    })
    const forged: object[] = [
      { ...topicMessage({ ...signed, Message: '{}' }), Message: gone },
      topicMessage({ ...signed, Message: gone, TopicArn: `${topicArn}2` }),
      topicMessage({
        ...signed,
        Message: gone,
        Timestamp: new Date(Date.now() - 2 * 86_400_000).toISOString(),
      }),
      topicMessage({
        ...signed,
        Message: gone,
        SigningCertURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/a.pem',
      }),
      topicMessage({ ...signed, Message: gone, SigningCertURL: `${topic.url}/other?a.pem` }),
      { ...topicMessage({ ...signed, Message: gone }), Signature: '' },
    ]
    for (const message of forged) expect((await post(message)).status).toBe(401)
    expect(topic.asked).toEqual(['/SimpleNotificationService-1.pem'])
    const complaint = told('2', { eventType: 'Complaint', complaint: { complaintFeedbackType: 'abuse' } })
    const messages = [gone, gone, complaint, told('2', { eventType: 'Delivery' }), 'not JSON']
    for (const [n, Message] of messages.entries())
      expect(
        (await post(topicMessage({ ...signed, Message, SignatureVersion: `${1 + (n % 2)}` }))).status,
      ).toBe(200)
    const SubscribeURL = `${topic.url}/?Action=ConfirmSubscription&TopicArn=${encodeURIComponent(topicArn)}&Token=t`
    const subscription = { ...signed, Type: 'SubscriptionConfirmation', Token: 't' }
    expect(
      (await post(topicMessage({ ...subscription, SubscribeURL: 'http://169.254.169.254/' }))).status,
    ).toBe(401)
    expect((await post(topicMessage({ ...subscription, SubscribeURL }))).status).toBe(200)
    expect(topic.asked).toEqual(['/SimpleNotificationService-1.pem', SubscribeURL.slice(topic.url.length)])
    await quiet(app)
    const { data } = await app.copydesk.asSystem().mail.suppressed()
    expect(data.map(({ address, reason }) => [address, reason])).toEqual([
      ['2@test.example', 'complaint'],
      ['1@test.example', 'hard_bounce'],
    ])
  })
})
