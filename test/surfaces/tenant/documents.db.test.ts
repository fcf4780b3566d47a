import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentTypeOf } from '../../../packages/core/src/domain/knowledge/documents/content-type.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { cpuOf } from '../../kit/turns.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let clock: TestClock

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock })
})

afterAll(() => app[Symbol.asyncDispose]())

const add = (
  { member }: Pick<Team, 'member'>,
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

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }
const forbidden = { status: 403, code: 'FORBIDDEN', field: undefined }

describe('tenant.documents.create', () => {
  it('stores a file with the type of its content, and returns its metadata', async () => {
    const team = await app.team()
    const added = await add(team, '<p>Oats</p>', 'a.html')
    expect(added).toMatchObject({
      name: 'a.html',
      mimeType: 'text/plain',
      description: 'A description',
      sizeBytes: 11,
      createdBy: { name: 'Mia Member' },
    })
    expect(await filesOf(team)).toEqual([added.id])
  })

  it('rejects a file by its content, whatever its name, and reviewers, and stores nothing', async () => {
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
    expect(await refusal(add({ ...team, member: team.reviewer }, 'Ours', 'a.txt'))).toEqual(forbidden)
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    expect(await filesOf(team)).toEqual([])
  })

  it('deletes bytes without a row, and keeps those with one', async () => {
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
})

describe('tenant.documents.list', () => {
  it('pages through the documents of the tenant, newest first', async () => {
    const team = await app.team()
    const one = await add(team, 'One', 'one.txt')
    const two = await add(team, 'Two', 'two.txt')
    const page = await team.reviewer.call('tenant', 'GET /documents', { query: { limit: 1 } })
    expect(page.data).toEqual([two])
    const query = { limit: 1, cursor: page.pagination.nextCursor ?? '' }
    const last = await team.reviewer.call('tenant', 'GET /documents', { query })
    expect(last).toMatchObject({ data: [one], pagination: { nextCursor: null } })
  })
})

describe('tenant.documents.get', () => {
  it('returns the metadata of one document, and 404 for one of another tenant', async () => {
    const [team, theirs] = [await app.team(), await app.team()]
    const added = await add(team, 'Ours', 'a.txt')
    const params = { documentId: added.id }
    expect(await team.reviewer.call('tenant', 'GET /documents/:documentId', { params })).toEqual(added)
    const read = theirs.member.call('tenant', 'GET /documents/:documentId', { params })
    expect(await refusal(read)).toEqual(missing)
  })
})

describe('tenant.documents.content', () => {
  it('returns the unchanged file as an attachment', async () => {
    const team = await app.team()
    const page = '<script>alert(1)</script>'
    const added = await add(team, page, `Größe 'a' (1).html`)
    const answer = await contentOf(team, added.id)
    expect(await answer.text()).toBe(page)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="Gr__e _a_ (1).html"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%27a%27%20%281%29.html`,
      'x-content-type-options': 'nosniff',
      'content-length': '25',
    })
  })

  it('returns 404 for a document of another tenant', async () => {
    const [team, theirs] = [await app.team(), await app.team()]
    const { id } = await add(team, 'Ours', 'a.txt')
    const answer = await contentOf(theirs, id)
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toContain('Ours')
  })
})

describe('tenant.documents.delete', () => {
  it('deletes a document with its bytes', async () => {
    const team = await app.team()
    const { id: documentId } = await add(team, 'Ours', 'a.txt')
    await team.member.call('tenant', 'DELETE /documents/:documentId', { params: { documentId } })
    expect((await contentOf(team, documentId)).status).toBe(404)
    expect((await team.member.call('tenant', 'GET /documents')).data).toEqual([])
    await app.until(async () => (await filesOf(team)).length === 0, 'the bytes are gone')
  })

  it('rejects reviewers and other tenants, and keeps the document and its bytes', async () => {
    const [team, theirs] = [await app.team(), await app.team()]
    const { id: documentId } = await add(team, 'Ours', 'a.txt')
    const remove = ({ member }: Pick<Team, 'member'>) =>
      refusal(member.call('tenant', 'DELETE /documents/:documentId', { params: { documentId } }))
    expect(await remove(theirs)).toEqual(missing)
    expect(await remove({ member: team.reviewer })).toEqual(forbidden)
    expect(await (await contentOf(team, documentId)).text()).toBe('Ours')
    expect(await filesOf(team)).toEqual([documentId])
  })
})

describe('contentTypeOf', () => {
  it('inspects the largest file quickly', () => {
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
  ])('detects for %j, named %s, the type %s', (content, name, type) => {
    expect(contentTypeOf(Buffer.from(content, 'latin1'), name)).toBe(type)
  })
})
