import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { createTestApp, type Team } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { sendForm, toneSkill } from '../skill-forms.ts'

const add = ({ member }: Team, content: string, name: string) => {
  const body = new FormData()
  body.append('file', new Blob([content], { type: 'text/plain' }), name)
  return member.call('tenant', 'POST /documents', { body })
}

describe('the quotas of uploads', () => {
  const kib = (size: number) => 'x'.repeat(size * 1024)
  const quotas = { tenantBytes: 100 * 1024, installationBytes: 150 * 1024 }

  it('reject uploads beyond them, name the quota, and no longer count deleted files', async () => {
    await using small = await createTestApp({ quotas })
    const [one, other] = [await small.team(), await small.team()]
    const first = await add(one, kib(60), 'a.txt')
    const over = (call: Promise<unknown>) =>
      call.catch(({ status, code, details }: ApiError) => ({ status, code, details }))
    const ofTenant = {
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      details: { quota: 'tenant', limitBytes: quotas.tenantBytes },
    }
    const before = await fingerprint(small.db)
    expect(await over(add(one, kib(60), 'b.txt'))).toEqual(ofTenant)
    expect(changedTables(before, await fingerprint(small.db))).toEqual([])
    await add(other, kib(60), 'a.txt')
    // Data of others is not returned.
    const ofInstallation = { status: 413, code: 'PAYLOAD_TOO_LARGE', details: { quota: 'installation' } }
    expect(await over(add(one, kib(35), 'b.txt'))).toEqual(ofInstallation)
    await one.member.call('tenant', 'DELETE /documents/:documentId', { params: { documentId: first.id } })
    await add(one, kib(80), 'b.txt')
  })

  it('count all versions of skills', async () => {
    await using small = await createTestApp({ quotas, worker: false })
    const { adminToken } = await small.team()
    const send = (method: string, path: string, file: string) =>
      sendForm(small, method, `/dashboard/v1/skills${path}`, adminToken, { ...toneSkill, file })
    const skill = await send('POST', '', kib(40))
    const path = `/${skill.json.id}`
    expect((await send('PATCH', path, `${kib(40)}y`)).status).toBe(200)
    const before = await fingerprint(small.db)
    const refused = await send('PATCH', path, kib(40))
    expect(refused).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
    expect(refused.json.error.details.quota).toBe('tenant')
    const restored = await small.fetch(`/dashboard/v1/skills${path}/versions/1/restore`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}` },
    })
    expect(restored.status).toBe(413)
    expect(changedTables(before, await fingerprint(small.db))).toEqual([])
  })

  it('apply to concurrent uploads', async () => {
    await using small = await createTestApp({ quotas })
    const team = await small.team()
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) => add(team, kib(40), `${n}.txt`)),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })
})
