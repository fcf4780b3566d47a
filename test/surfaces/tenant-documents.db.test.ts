import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiError } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentTypeOf } from '../../packages/core/src/domain/documents/content-type.ts'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { createTestClock, type TestClock } from '../kit/clock.ts'
import { changedTables, fingerprint } from '../kit/rows.ts'
import { cpuOf } from '../kit/turns.ts'
import { sendForm, toneSkill } from './skill-forms.ts'

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    (error: ApiError) => ({ status: error.status, code: error.code, field: error.field }),
  )

let app: TestApp
let clock: TestClock

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock })
})

afterAll(() => app[Symbol.asyncDispose]())

const add = (
  { member }: Team,
  content: string | Uint8Array<ArrayBuffer>,
  name: string,
  type = 'text/html',
) => {
  const body = new FormData()
  body.append('description', 'A description')
  body.append('file', new Blob([content], { type }), name)
  return member.call('tenant', 'POST /documents', { body })
}

const contentOf = (team: Team, documentId: string, token = team.adminToken) =>
  app.fetch(`/tenant/v1/documents/${documentId}/content`, { headers: { authorization: `Bearer ${token}` } })

const filesOf = ({ tenantId }: Team) =>
  readdir(join(app.options.dataDir, 'blobs', 'tenants', tenantId, 'documents')).catch(() => [] as string[])

describe('tenant.documents', () => {
  it('come back as they were, to be saved under their name and never shown', async () => {
    const team = await app.team()
    const page = '<script>alert(1)</script>'
    const added = await add(team, page, `Größe 'a' (1).html`)
    expect(added).toMatchObject({
      mimeType: 'text/plain',
      description: 'A description',
      sizeBytes: 25,
      createdBy: { name: 'Mia Member' },
    })
    const answer = await contentOf(team, added.id)
    expect(await answer.text()).toBe(page)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="Gr__e _a_ (1).html"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%27a%27%20%281%29.html`,
      'x-content-type-options': 'nosniff',
      'content-length': '25',
    })
    const { data } = await team.reviewer.call('tenant', 'GET /documents')
    expect(data).toEqual([added])
    const params = { documentId: added.id }
    expect(await team.reviewer.call('tenant', 'GET /documents/:documentId', { params })).toEqual(added)
  })

  it('are gone with their bytes once deleted, and strangers never reach them', async () => {
    const [team, theirs] = [await app.team(), await app.team()]
    const { id: documentId } = await add(team, 'Ours', 'a.txt')
    const params = { documentId }
    expect((await contentOf(theirs, documentId)).status).toBe(404)
    expect(
      await refusal(theirs.member.call('tenant', 'DELETE /documents/:documentId', { params })),
    ).toMatchObject({
      status: 404,
    })
    expect(
      await refusal(team.reviewer.call('tenant', 'DELETE /documents/:documentId', { params })),
    ).toMatchObject({
      status: 403,
    })
    expect(await filesOf(team)).toEqual([documentId])
    await team.member.call('tenant', 'DELETE /documents/:documentId', { params })
    expect((await contentOf(team, documentId)).status).toBe(404)
    await app.until(async () => (await filesOf(team)).length === 0, 'the bytes are gone')
  })

  it('leave no bytes behind that were never noted, and keep those that were', async () => {
    const team = await app.team()
    const { id } = await add(team, 'Noted', 'a.txt')
    // As when a process dies between the bytes and the row.
    await add(team, 'Lost', 'b.txt').then(({ id: other }) =>
      app.db.write((tx) => tx.run('delete from documents where id = ?', [other])),
    )
    expect(await filesOf(team)).toHaveLength(2)
    await app.until(async () => {
      clock.advance(600_000)
      return (await filesOf(team)).length === 1
    }, 'what was lost is removed')
    await app.until(async () => {
      const waiting = await app.db.sql.get(
        `select id from job where kind = 'document.tidy' and tenant_id = ? and status <> 'done'`,
        [team.tenantId],
      )
      return !waiting
    }, 'both were looked at')
    expect(await filesOf(team)).toEqual([id])
  })

  it('are refused by what is in them, whatever they are called, and nothing is kept', async () => {
    const team = await app.team()
    const before = await fingerprint(app.db)
    const wrong = { status: 400, code: 'VALIDATION_ERROR', field: 'file' }
    const program = new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0])
    expect(await refusal(add(team, program, 'report.pdf', 'application/pdf'))).toEqual(wrong)
    expect(await refusal(add(team, '', 'empty.txt', 'text/plain'))).toEqual(wrong)
    expect(await refusal(add(team, new Uint8Array(25 * 1024 * 1024 + 1), 'a.txt'))).toMatchObject({
      status: 413,
      field: 'file',
    })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    expect(await filesOf(team)).toEqual([])
  })
})

describe('the quotas of uploads', () => {
  const kib = (size: number) => 'x'.repeat(size * 1024)
  const quotas = { tenantBytes: 100 * 1024, installationBytes: 150 * 1024 }

  it('refuse what goes over them, say whose it is, and count what is deleted no more', async () => {
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
    // What others have is told nobody.
    const ofInstallation = { status: 413, code: 'PAYLOAD_TOO_LARGE', details: { quota: 'installation' } }
    expect(await over(add(one, kib(35), 'b.txt'))).toEqual(ofInstallation)
    await one.member.call('tenant', 'DELETE /documents/:documentId', { params: { documentId: first.id } })
    await add(one, kib(80), 'b.txt')
  })

  it('count skills in all their versions', async () => {
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

  it('hold when several uploads come at once', async () => {
    await using small = await createTestApp({ quotas })
    const team = await small.team()
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) => add(team, kib(40), `${n}.txt`)),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })
})

describe('contentTypeOf', () => {
  it('looks through the largest file in a moment', () => {
    const bytes = new Uint8Array(25 * 1024 * 1024).fill(97)
    expect(contentTypeOf(bytes, 'a.txt')).toBe('text/plain')
    expect(cpuOf(() => contentTypeOf(bytes, 'a.txt'))).toBeLessThan(150)
  })

  const openXml = 'application/vnd.openxmlformats-officedocument'
  const office = (part: string) => `PK\x03\x04…[Content_Types].xml…${part}`
  it.each([
    ['%PDF-1.7', 'a.txt', 'application/pdf'],
    ['\x89PNG\r\n\x1a\n…', 'a.pdf', 'image/png'],
    ['\xff\xd8\xff\xe0', 'a', 'image/jpeg'],
    ['RIFF\x00\x00\x00\x00WEBPVP8 ', 'a', 'image/webp'],
    ['GIF89a', 'a', 'image/gif'],
    [office('word/document.xml'), 'a', `${openXml}.wordprocessingml.document`],
    [office('xl/workbook.xml'), 'a', `${openXml}.spreadsheetml.sheet`],
    [office('ppt/presentation.xml'), 'a', `${openXml}.presentationml.presentation`],
    [office('other'), 'a.docx', undefined],
    ['PK\x03\x04 word/document.xml', 'a.docx', undefined],
    ['# A', 'a.MD', 'text/markdown'],
    ['a,b', 'a.csv', 'text/csv'],
    ['<html>', 'a.html', 'text/plain'],
    ['a\x00b', 'a.txt', undefined],
    ['\xff\xfe', 'a.txt', undefined],
    ['MZ\x90\x00', 'a.txt', undefined],
  ])('takes %j, called %s, for %s', (content, name, type) => {
    expect(contentTypeOf(Buffer.from(content, 'latin1'), name)).toBe(type)
  })
})
