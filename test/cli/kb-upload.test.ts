import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderIn, loggedIn } from './kb-staff.ts'
import { onScreen } from './screen.ts'
import { createStaff } from './staff.ts'

interface Uploaded {
  path: string
  status: string
  fileId: string | null
  chunks: number
  error: string | null
}
const objects = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Uploaded)

describe('copydesk kb upload', () => {
  it('adds what a folder contains, one file after the other, and reports those that failed', async () => {
    await using staff = await createStaff()
    folderIn(staff)
    const { code, stdout, stderr } = await staff.run(['kb', 'upload', 'brand', '--json'])
    expect(code).toBe(1)
    const all = objects(stdout)
    expect(all).toMatchObject([
      { path: 'brand/bread/rye.md', status: 'indexed', fileId: expect.any(String), chunks: 1, error: null },
      { path: 'brand/broken.pdf', status: 'failed', fileId: expect.any(String), chunks: 0 },
      { path: 'brand/large.txt', status: 'failed', fileId: null, error: expect.stringContaining('10 MB') },
      { path: 'brand/oats.md', status: 'indexed', error: null },
      { path: 'brand/program.bin', status: 'failed', fileId: null },
    ])
    expect(stderr).toContain('5 files: 2 indexed, 3 failed\n')
    for (const { path, error } of all.filter(({ status }) => status === 'failed'))
      expect(stderr).toContain(`\n  ${path}: ${error}\n`)
    expect(all.at(-1)?.error).not.toContain('program.bin')
    expect(stderr).toMatch(/\nerror: 3 failed\.\n$/)
    const { data } = await staff.json<{ data: object[] }>(['kb', 'list'])
    expect(data[0]).toMatchObject({ totalFiles: 3, totalChunks: 2 })
  })

  it('takes files, folders and patterns, each file once, into the named dataset', async () => {
    await using staff = await createStaff()
    const folder = folderIn(staff)
    const paths = [join(folder, 'oats.md'), 'brand/**/*.md', 'brand/bread']
    const args = ['kb', 'upload', ...paths, '--dataset', 'competitor-research', '--tenant', 'tenant 1']
    const { code, stdout, stderr } = await staff.run(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '3 files: 3 indexed, 0 failed\n' })
    expect(stdout).toBe(
      `✔ ${folder}/oats.md  1 chunk\n✔ brand/bread/rye.md  1 chunk\n✔ brand/link.md  1 chunk\n`,
    )
    const { data } = await staff.json<{ data: object[] }>(['kb', 'list'])
    expect(data).toMatchObject([{ totalFiles: 0 }, { totalFiles: 0 }, { totalFiles: 3 }])
  })

  it('sends nothing when a path means nothing, or the tenant is not assigned', async () => {
    await using staff = await createStaff()
    folderIn(staff)
    mkdirSync(join(staff.home, 'empty'))
    const other = await staff.harness.app.team()
    const cases: ReadonlyArray<[args: string[], code: number, says: string]> = [
      [['brand', 'missing.md'], 2, 'no folder missing.md'],
      [['brand', 'empty'], 2, 'no files in empty'],
      [['brand/*.docx'], 2, 'no files in brand/*.docx'],
      [['brand', '--dataset', 'else'], 2, 'client-documents'],
      [['brand/oats.md', '--tenant', other.tenantId], 4, '1 not tried'],
      [['brand', '--tenant', 'Nobody'], 1, 'There is no tenant Nobody'],
    ]
    for (const [args, code, says] of cases) {
      const ended = await staff.run(['kb', 'upload', ...args])
      expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' })
      expect(ended.stderr).toContain(says)
    }
    const login = await loggedIn(staff, 'admin.1')
    expect(await staff.run(['kb', 'upload', 'brand'], login)).toMatchObject({ code: 4, stdout: '' })
    const { data } = await staff.json<{ data: object[] }>(['kb', 'list'])
    for (const each of data) expect(each).toMatchObject({ totalFiles: 0 })
  })

  it('shows on a terminal what is being done, in one line that is written again', async () => {
    const { promise: looked, resolve: look } = Promise.withResolvers<void>()
    await using staff = await createStaff({
      between: async (request, response, handle) => {
        if (request.url === '/cli/v1/kb/upload') await looked
        return handle(request, response)
      },
    })
    folderIn(staff)
    const args = ['kb', 'upload', 'brand/oats.md', 'brand/bread']
    using screen = await onScreen(args, { cwd: staff.home, env: staff.env })
    await screen.shows('1/2 uploading  brand/oats.md')
    look()
    expect(await screen.ended).toBe(0)
    expect(screen.lines()).toEqual([
      '✔ brand/oats.md  1 chunk',
      '✔ brand/bread/rye.md  1 chunk',
      '2 files: 2 indexed, 0 failed',
    ])
  })

  it('ends at Ctrl-C with what was done so far, and sends no file twice', async () => {
    let uploads = 0
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    await using staff = await createStaff({
      between: (request, response, handle) => {
        if (request.url !== '/cli/v1/kb/upload') return handle(request, response)
        uploads += 1
        if (uploads === 1) return handle(request, response)
        // The second is never answered.
        arrive()
      },
    })
    folderIn(staff)
    const args = ['kb', 'upload', 'brand/oats.md', 'brand/bread', 'brand/broken.pdf', '--json']
    const uploading = await staff.begin(args)
    await arrived
    uploading.child.kill('SIGINT')
    const { code, stdout, stderr } = await uploading.ended
    expect({ code, uploads }).toEqual({ code: 1, uploads: 2 })
    expect(objects(stdout)).toMatchObject([{ path: 'brand/oats.md', status: 'indexed' }])
    expect(stderr).toContain('3 files: 1 indexed, 0 failed, 2 not tried\n')
    expect(stderr).toContain('stopped')
  })

  it('reports a connection that breaks, and sends the file no second time', async () => {
    let uploads = 0
    await using staff = await createStaff({
      between: (request, response, handle) => {
        if (request.url !== '/cli/v1/kb/upload') return handle(request, response)
        uploads += 1
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const data = { ragFileId: '01J9ZX6T4QH8C3V5N7M2K0B1AD', status: 'pending' }
        request.resume().on('end', () => {
          response.end(`event: upload_complete\ndata: ${JSON.stringify(data)}\n\n`)
        })
      },
    })
    folderIn(staff)
    const { code, stdout } = await staff.run(['kb', 'upload', 'brand/oats.md', '--json'])
    expect({ code, uploads }).toEqual({ code: 1, uploads: 1 })
    const [uploaded] = objects(stdout)
    expect(uploaded).toMatchObject({ status: 'failed', fileId: '01J9ZX6T4QH8C3V5N7M2K0B1AD' })
    expect(uploaded?.error).toContain('connection ended')
  })
})
