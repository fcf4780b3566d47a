import { createMetaAdsServer, type MetaAdsServer } from './meta-ads-server.ts'
import { openPlatformDesk, type PlatformDesk } from './platform-desk.ts'

export type SocialDesk = PlatformDesk<MetaAdsServer>

/** A campaign with a budget of its own, by the id of Meta's. */
export const bakery = '120210000000000011'

/** A team with Meta's ads connected. */
export async function openSocialDesk(): Promise<SocialDesk> {
  const desk = await openPlatformDesk('social_ads', createMetaAdsServer)
  fillMeta(desk.there)
  return desk
}

/** One account in euros, one in yen, and one that was closed. */
function fillMeta(meta: MetaAdsServer): void {
  meta.accounts.push(
    { id: 'act_1', currency: 'EUR', timezone: 'Europe/Berlin', status: 1 },
    { id: 'act_9', currency: 'USD', timezone: 'UTC', status: 101 },
    { id: 'act_2', currency: 'JPY', timezone: 'Asia/Tokyo', status: 1 },
  )
  const add = (id: string, account: string, more: object) =>
    meta.campaigns.set(id, { id, account, name: `Campaign ${id}`, status: 'ACTIVE', ...more })
  add(bakery, 'act_1', { daily: 2_000, start: '2026-03-01T00:00:00+0100' })
  add('12', 'act_1', {})
  add('13', 'act_1', { status: 'PAUSED', daily: 500 })
  add('14', 'act_1', { status: 'ARCHIVED', daily: 500 })
  add('15', 'act_1', {
    lifetime: 10_000,
    start: '2026-04-01T00:00:00+0200',
    stop: '2026-04-11T00:00:00+0200',
  })
  add('21', 'act_2', { daily: 3_000 })
  add('91', 'act_9', { daily: 3_000 })
  meta.sets.push(
    { id: '121', campaign: '12', status: 'ACTIVE', daily: 700 },
    { id: '122', campaign: '12', status: 'PAUSED', daily: 9_000 },
    { id: '111', campaign: bakery, status: 'ACTIVE' },
  )
}
