import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { everything } from '../../kit/rows.ts'
import { openWebsite } from '../../kit/website.ts'
import { refusal } from '../refusal.ts'

const website = await openWebsite()
const { press, site, channelId } = website

beforeEach(() => website.forget())

afterAll(() => website[Symbol.asyncDispose]())

describe('dashboard.integrations.credentials, dashboard.integrations.list', () => {
  it('connects a website once it has said whose the password is, and keeps it encrypted', async () => {
    const put = (body: object) =>
      refusal(
        press.team.admin.call('dashboard', 'PUT /integrations/:platform/credentials', {
          params: { platform: 'cms_site' },
          body: { server: site.url, ...site.login, ...body },
        }),
      )
    expect(await put({ secret: 'not this one' })).toMatchObject({ status: 422 })
    expect(await put({ server: undefined })).toMatchObject({ status: 400, field: 'server' })
    expect(await put({ server: `${site.url}/?x=1` })).toMatchObject({ status: 400, field: 'server' })
    site.passwordsOffered = false
    expect(await put({})).toMatchObject({ status: 422 })
    site.passwordsOffered = true
    site.mayPublish = false
    expect(await put({})).toMatchObject({ status: 422 })
    site.mayPublish = true
    const { data } = await press.team.member.call('dashboard', 'GET /integrations')
    expect(data.find(({ type }) => type === 'cms_site')).toEqual({
      type: 'cms_site',
      name: 'Website',
      configured: true,
      connected: true,
      accountName: "Ada's Oats & Rye",
      consent: true,
      credentials: { server: 'required', username: 'required', secretName: 'Application password' },
    })
    expect(JSON.stringify(await everything(press.app.db))).not.toContain(site.login.secret)
  })
})

describe('the password of a website', () => {
  it('is disconnected by a dead password with one notice, and goes on where it was once connected again', async () => {
    const pieces = [
      await press.approved('# Millet\n\nIt is small.\n'),
      await press.approved('# Teff\n\nSmaller.\n'),
    ]
    const [uuid, password] = [...site.passwords][0] as [string, string]
    site.passwords.clear()
    const ids: string[] = []
    for (const piece of pieces) ids.push((await press.publish(piece, channelId)).id)
    for (const id of ids) {
      expect(await press.reaches(id, 'held', 'failed')).toMatchObject({ holdReason: 'channel_disconnected' })
    }
    const about = (await press.notices()).filter((title) => /Website again|Millet|Teff/.test(title))
    expect(about).toEqual(['Connect Website again'])
    site.passwords.set(uuid, password)
    await press.connect(site)
    for (const id of ids) await press.reaches(id, 'published')
    expect([site.published.get('Millet'), site.published.get('Teff')]).toEqual([1, 1])
  })

  it('knows a dead password by every answer that names it, or treats the login as a stranger', async () => {
    for (const code of ['incorrect_password', 'rest_cannot_create']) {
      site.mishaps.push({ status: 401, code })
      const { id } = await press.publish(await press.approved(`# Fonio ${code}\n\nOld.\n`), channelId)
      expect(await press.reaches(id, 'held', 'failed')).toMatchObject({ holdReason: 'channel_disconnected' })
      await press.connect(site)
      await press.reaches(id, 'published')
    }
  })

  it('gives the password back that another one takes the place of, and not the one that is pasted again', async () => {
    const [[old]] = [...site.passwords] as [[string, string]]
    const revocations = () => press.count(`select count(*) as n from job where kind = 'channel.revoke'`)
    const before = await revocations()
    await press.connect(site)
    // As the site shows it.
    const shown = site.login.secret.replace(/(.{4})/g, '$1 ')
    await press.connect({ url: site.url, login: { ...site.login, secret: shown } })
    expect(await revocations()).toBe(before)
    site.passwords.set('0e0f6a3c-5d7b-4f52-9a55-2d1c0e7b4a90', 'anotherpassword')
    await press.connect({ url: site.url, login: { ...site.login, secret: 'another password' } })
    await press.app.until(async () => {
      press.clock.advance(1_000)
      return !site.passwords.has(old)
    }, 'the old password is given back')
    expect([...site.passwords.values()]).toEqual(['anotherpassword'])
    const published = await press.publish(await press.approved('# Emmer\n\nIt is back.\n'), channelId)
    expect(await press.reaches(published.id, 'published')).toMatchObject({ channelId })
    expect(site.requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(1)
  })

  it('gives the password back when it is disconnected', async () => {
    await press.disconnect(channelId)
    await press.app.until(async () => {
      press.clock.advance(1_000)
      return site.passwords.size === 0
    }, 'the password is given back')
    expect(site.requests.at(-1)).toMatch(/^DELETE .*application-passwords/)
  })
})
