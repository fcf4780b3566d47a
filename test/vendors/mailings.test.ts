import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTestMailServer } from '../kit/mail.ts'
import { openNewsroom } from '../kit/mailings.ts'
import { createBrevo, createMailchimp } from '../kit/platforms/mailings.ts'
import { fetchVendors, vendor } from '../kit/vendors.ts'
import type { BrevoModule, MailauthModule, MailchimpModule } from './mailing-modules.ts'

beforeAll(fetchVendors, 300_000)

const secretOf = ({ login }: { login: 'consent' | { secret: string } }) =>
  login === 'consent' ? '' : login.secret

describe('the server of Mailchimp', () => {
  it('answers Mailchimp’s own client: lists, a campaign that is sent once, and its report', async () => {
    await using mailchimp = await createMailchimp()
    const client = vendor<MailchimpModule>('@mailchimp/mailchimp_marketing')
    client.setConfig({ apiKey: secretOf(mailchimp), server: 'us6' })
    client.basePath = `${mailchimp.url}/3.0`
    expect(await client.root.getRoot()).toMatchObject({ account_name: 'Oats Inc.' })
    const { lists } = await client.lists.getAllLists()
    expect(lists).toMatchObject([{ id: 'l1', name: 'Readers' }])
    const { full_size_url: picture } = await client.fileManager.upload({
      name: 'bowl.jpg',
      file_data: Buffer.from('a picture').toString('base64'),
    })
    expect(picture).toMatch(/^https:/)
    const { id } = await client.campaigns.create({
      type: 'regular',
      recipients: { list_id: 'l1' },
      settings: {
        subject_line: 'Rye is here',
        title: 'Rye 1',
        from_name: 'Oats',
        reply_to: 'oats@oats.example',
      },
    })
    const ready = async () => (await client.campaigns.getSendChecklist(id)).is_ready
    await client.campaigns.setContent(id, { html: '<p>Rye</p>' })
    expect(await ready()).toBe(false)
    await client.campaigns.setContent(id, {
      html: '<p>Rye</p>*|LIST:ADDRESSLINE|* <a href="*|UNSUB|*">out</a>',
    })
    expect(await ready()).toBe(true)
    await expect(client.reports.getCampaignReport(id)).rejects.toMatchObject({ status: 404 })
    await client.campaigns.send(id)
    await expect(client.campaigns.send(id)).rejects.toMatchObject({ status: 400 })
    expect(await client.campaigns.get(id)).toMatchObject({ status: 'sent' })
    expect(mailchimp.published('Rye is here')).toBe(1)
    const { campaigns } = await client.campaigns.list({ count: 100 })
    expect(campaigns.map((one) => one.settings.title)).toEqual(['Rye 1'])
    expect(await client.reports.getCampaignReport(id)).toMatchObject({
      emails_sent: 90,
      opens: { unique_opens: 60 },
      clicks: { unique_clicks: 7 },
      unsubscribed: 1,
    })
    client.setConfig({ apiKey: 'another-us6', server: 'us6' })
    await expect(client.lists.getAllLists()).rejects.toMatchObject({ status: 401 })
  })
})

describe('the server of Brevo', () => {
  it('answers Brevo’s own client: senders, lists, a campaign that is sent once, its figures, and single mails', async () => {
    await using brevo = await createBrevo()
    const { BrevoClient } = vendor<BrevoModule>('@getbrevo/brevo')
    // It repeats requests of its own accord, also those that send.
    const given = { baseUrl: `${brevo.url}/v3`, maxRetries: 0 }
    const client = new BrevoClient({ apiKey: secretOf(brevo), ...given })
    expect(await client.account.getAccount()).toMatchObject({ companyName: 'Oats Inc.' })
    expect((await client.senders.getSenders()).senders).toMatchObject([{ id: 3, active: true }])
    expect((await client.contacts.getLists()).lists).toMatchObject([{ id: 9, name: 'Readers' }])
    const { id: campaignId } = await client.emailCampaigns.createEmailCampaign({
      name: 'Rye 1',
      subject: 'Rye is here',
      sender: { id: 3 },
      htmlContent: '<p>Rye is here</p>',
      recipients: { listIds: [9] },
    })
    const drafts = await client.emailCampaigns.getEmailCampaigns({ status: 'draft' })
    expect(drafts.campaigns).toMatchObject([{ id: campaignId, name: 'Rye 1' }])
    await client.emailCampaigns.sendEmailCampaignNow({ campaignId })
    await expect(client.emailCampaigns.sendEmailCampaignNow({ campaignId })).rejects.toMatchObject({
      statusCode: 400,
      body: { code: 'campaign_processing' },
    })
    expect(brevo.published('Rye is here')).toBe(1)
    const found = await client.emailCampaigns.getEmailCampaign({ campaignId, statistics: 'globalStats' })
    expect(found.statistics.globalStats).toMatchObject({ sent: 90, uniqueViews: 60, uniqueClicks: 7 })
    const shared = await client.emailCampaigns.getSharedTemplateUrl({ campaignId })
    expect(shared.sharedUrl).toMatch(/^https:/)
    const mail = {
      sender: { id: 3 },
      to: [{ email: 'ann@site.example' }],
      subject: 'Rye for you',
      htmlContent: '<p>Rye</p>',
      textContent: 'Rye',
      headers: { idempotencyKey: randomUUID() },
    }
    const { messageId } = await client.transactionalEmails.sendTransacEmail(mail)
    expect(brevo.mails).toMatchObject([{ messageId, to: 'ann@site.example', text: 'Rye', headers: {} }])
    await expect(client.transactionalEmails.sendTransacEmail(mail)).rejects.toMatchObject({
      statusCode: 400,
      body: { code: 'duplicate_parameter' },
    })
    const other = new BrevoClient({ apiKey: 'another', ...given })
    await expect(other.account.getAccount()).rejects.toMatchObject({ statusCode: 401 })
  })
})

describe('a mailing to leads', () => {
  it('passes DKIM, SPF and DMARC as mailauth checks them, with the headers of one click among those that are signed', async () => {
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    await using post = await createTestMailServer()
    const dkim = { domain: 'sender.example', selector: 'desk', privateKey: pair.privateKey }
    const smtp = { host: '127.0.0.1', port: post.port }
    await using room = await openNewsroom({ mail: { smtp, from: 'desk@sender.example', dkim } })
    await room.addLeads('Ann')
    await room.mail(await room.newsletter())
    await room.quiet()
    const sent = post.taken.find(({ to }) => to.some((one) => /site\.example/i.test(one)))
    const raw = sent?.mail.raw ?? ''
    const records: Record<string, string> = {
      'desk._domainkey.sender.example': `v=DKIM1; k=rsa; p=${pair.publicKey.toString('base64')}`,
      '_dmarc.sender.example': 'v=DMARC1; p=reject; adkim=s; aspf=s',
      'sender.example': 'v=spf1 ip4:192.0.2.7 -all',
    }
    const resolver = async (name: string, type: string) => {
      const record = records[name]
      if (type !== 'TXT' || record === undefined)
        throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      return [[record]]
    }
    const { authenticate } = vendor<MailauthModule>('mailauth')
    const check = async (mail: string) => {
      const envelope = {
        ip: '192.0.2.7',
        helo: 'sender.example',
        sender: sent?.from ?? '',
        mta: 'mx.example',
      }
      const {
        dkim: signed,
        spf,
        dmarc,
      } = await authenticate(Buffer.from(mail, 'latin1'), {
        ...envelope,
        resolver,
        disableArc: true,
        disableBimi: true,
      })
      const [one] = signed.results
      return {
        dkim: one?.status.result,
        aligned: one?.status.aligned,
        spf: spf && spf.status.result,
        dmarc: dmarc && dmarc.status.result,
        signed: one?.signingHeaders?.keys.toLowerCase().split(/\s*:\s*/) ?? [],
      }
    }
    const found = await check(raw)
    expect(found).toMatchObject({ dkim: 'pass', aligned: 'sender.example', spf: 'pass', dmarc: 'pass' })
    for (const name of ['from', 'subject', 'list-unsubscribe', 'list-unsubscribe-post'])
      expect(found.signed).toContain(name)
    expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m)
    for (const changed of [
      raw.replace('=One-Click', '=Two-Click'),
      raw.replace('/forms/v1/unsubscribe/', '/forms/v1/another/'),
      raw.replace('News from', 'Fake from'),
    ]) {
      expect(changed).not.toBe(raw)
      expect((await check(changed)).dkim).not.toBe('pass')
    }
  })
})
