import { counter, fails, type Platform, type Said, says, serve } from './frame.ts'
import { createSingleMails } from './single-mails.ts'

interface Campaign {
  id: string
  web_id: number
  status: 'save' | 'sent'
  archive_url: string
  settings: { title: string; subject_line: string }
  html: string
}

/** Mailchimp's Marketing API 3.0, for an account with one list and a key. */
export async function createMailchimp(): Promise<Platform> {
  const { add, published } = counter()
  const campaigns = new Map<string, Campaign>()
  const problem = (status: number, title: string, detail = title): Said => ({
    status,
    body: { type: 'https://mailchimp.com/developer/errors', title, status, detail, instance: 'a' },
  })
  const key = '0123456789abcdef-us6'
  let isOpen = true
  const server = await serve(
    ({ method, path: whole, json, headers }): Said => {
      const path = whole.replace(/^\/3\.0/, '')
      const [, secret] = Buffer.from(String(headers.authorization).slice('Basic '.length), 'base64')
        .toString()
        .split(':')
      if (!isOpen || secret !== key) return problem(401, 'API Key Invalid')
      if (path === '/') return says({ account_id: 'a', account_name: 'Oats Inc.' })
      if (path === '/lists') {
        const defaults = { from_name: 'Oats', from_email: 'oats@oats.example' }
        return says({ lists: [{ id: 'l1', name: 'Readers', campaign_defaults: defaults }] })
      }
      if (path === '/campaigns' && method === 'GET') return says({ campaigns: [...campaigns.values()] })
      if (path === '/campaigns') {
        const id = (campaigns.size + 1).toString(16).padStart(10, '0')
        const settings = json['settings'] as Campaign['settings']
        const archive = `https://mailchi.mp/oats/${id}`
        const campaign: Campaign = {
          id,
          web_id: campaigns.size,
          status: 'save',
          archive_url: archive,
          settings,
          html: '',
        }
        campaigns.set(id, campaign)
        return says(campaign)
      }
      if (path === '/file-manager/files') {
        const { name, file_data: data } = json as { name: string; file_data: string }
        if (!/\.(?:jpg|png|gif)$/.test(name)) return problem(400, 'Invalid Resource')
        server.pictures.push(Buffer.from(data, 'base64'))
        return says({
          id: server.pictures.length,
          full_size_url: `https://gallery.mailchimp.example/${name}`,
        })
      }
      const [, sent] = /^\/reports\/(\w+)$/.exec(path) ?? []
      if (sent !== undefined) {
        const n = platform.popularity
        return campaigns.get(sent)?.status === 'sent'
          ? says({
              id: sent,
              emails_sent: 90 * n,
              opens: { opens_total: 80 * n, unique_opens: 60 * n },
              clicks: { clicks_total: 9 * n, unique_clicks: 7 * n },
              unsubscribed: n,
            })
          : problem(404, 'Resource Not Found')
      }
      const [, id = '', rest = ''] = /^\/campaigns\/(\w+)(\/.+)?$/.exec(path) ?? []
      const campaign = campaigns.get(id)
      if (!campaign) return problem(404, 'Resource Not Found')
      if (rest === '') return says(campaign)
      if (rest === '/content') {
        campaign.html = String(json['html'])
        platform.html = campaign.html
        return says({ html: campaign.html })
      }
      if (rest === '/send-checklist') {
        const isReady = campaign.html.includes('*|UNSUB|*') && campaign.html.includes('*|LIST:ADDRESSLINE|*')
        return says({
          is_ready: isReady,
          items: [{ type: 'error', heading: 'Footer', details: 'No way out' }],
        })
      }
      if (campaign.status !== 'save')
        return problem(400, 'Bad Request', 'This campaign has already been sent')
      campaign.status = 'sent'
      add(campaign.settings.subject_line)
      return fails(204)
    },
    ({ path }) => path.endsWith('/actions/send'),
  )
  const platform: Platform = {
    ...server,
    type: 'email_platform_a',
    published,
    login: { secret: key },
    accepts: () => false,
    renews: false,
    shutOut: () => {
      isOpen = false
    },
    says: {
      expired: problem(401, 'API Key Invalid'),
      quota: problem(429, 'Too Many Requests'),
      policy: problem(403, 'Forbidden', 'The account was deactivated'),
    },
    hides: false,
    afterLoss: 'published',
    afterNothing: 'published',
    removes: false,
    figures: { deliveries: 90, opens: 60, clicks: 7, unsubscribes: 1 },
    popularity: 1,
    now: () => 0,
  }
  return platform
}

/** Brevo's API v3, for an account with one list, one verified sender and a key. */
export async function createBrevo(): Promise<Platform> {
  const { add, published } = counter()
  const campaigns = new Map<
    number,
    { id: number; name: string; subject: string; status: 'draft' | 'in_process' }
  >()
  const refuse = (status: number, code: string, message = `No: ${code}`): Said => ({
    status,
    body: { code, message },
  })
  const key = 'xkeysib-0123456789'
  let isOpen = true
  const { mails, take } = createSingleMails(refuse)
  const server = await serve(
    ({ method, path: whole, json, headers, query }): Said => {
      const path = whole.replace(/^\/v3/, '')
      if (!isOpen || headers['api-key'] !== key) return refuse(401, 'unauthorized', 'Key not found')
      if (path === '/account') return says({ companyName: 'Oats Inc.', email: 'ada@oats.example' })
      if (path === '/senders') return says({ senders: [{ id: 3, name: 'Oats', active: true }] })
      if (path === '/contacts/lists') return says({ lists: [{ id: 9, name: 'Readers' }], count: 1 })
      if (path === '/emailCampaigns' && method === 'GET') {
        const found = [...campaigns.values()].filter(({ status }) => status === query.get('status'))
        return says({ campaigns: found, count: found.length })
      }
      if (path === '/emailCampaigns') {
        const id = campaigns.size + 1
        const { name, subject, htmlContent, recipients } = json as Record<string, string>
        if (!htmlContent || htmlContent.length < 10 || !recipients) return refuse(400, 'missing_parameter')
        platform.html = htmlContent
        campaigns.set(id, { id, name: String(name), subject: String(subject), status: 'draft' })
        return { status: 201, body: { id } }
      }
      if (path === '/smtp/email') return take(json, platform.now())
      const [, id, act = ''] = /^\/emailCampaigns\/(\d+)(\/\w+)?$/.exec(path) ?? []
      const campaign = campaigns.get(Number(id))
      if (!campaign) return refuse(404, 'document_not_found')
      if (act === '' && query.get('statistics') === 'globalStats') {
        const n = platform.popularity
        const globalStats = { sent: 90 * n, uniqueViews: 60 * n, uniqueClicks: 7 * n, unsubscriptions: n }
        return says({ ...campaign, statistics: { globalStats } })
      }
      if (act === '') return says(campaign)
      if (act === '/sharedUrl') return says({ sharedUrl: `https://share.brevo.example/${id}` })
      if (campaign.status !== 'draft') return refuse(400, 'campaign_processing')
      campaign.status = 'in_process'
      add(campaign.subject)
      return fails(204)
    },
    ({ path }) => path.endsWith('/sendNow') || path.endsWith('/smtp/email'),
  )
  const platform: Platform = {
    ...server,
    type: 'email_platform_b',
    mails,
    published,
    login: { secret: key },
    accepts: () => false,
    renews: false,
    shutOut: () => {
      isOpen = false
    },
    says: {
      expired: refuse(401, 'unauthorized'),
      quota: refuse(429, 'too_many_requests'),
      policy: refuse(402, 'not_enough_credits'),
      duplicate: refuse(400, 'duplicate_request'),
    },
    hides: false,
    afterLoss: 'published',
    afterNothing: 'published',
    removes: false,
    figures: { deliveries: 90, opens: 60, clicks: 7, unsubscribes: 1 },
    popularity: 1,
    now: () => 0,
  }
  return platform
}
