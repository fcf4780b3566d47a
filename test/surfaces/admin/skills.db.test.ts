import { describe, expect, it } from 'vitest'
import { sendForm, toneSkill } from '../skill-forms.ts'
import { expectNothing, skillHarness } from '../skill-harness.ts'

describe('admin.skills.create', () => {
  it('stores a Markdown file and assigns it to the given roles in every tenant', async () => {
    await using t = await skillHarness()
    const { status, json } = await t.add({ references: { 'examples.md': '## Good\n\nFresh oats.' } })
    expect(status).toBe(201)
    const at = t.clock.date().toISOString()
    const skill = {
      id: expect.any(String),
      name: 'Tone of voice',
      description: toneSkill.description,
      scope: 'global',
      assignedAgents: ['blog_writer', 'social_writer'],
      sizeBytes: 43,
      createdBy: 'Olga Operator',
      createdOn: at,
      updatedOn: at,
    }
    expect(json).toEqual({
      ...skill,
      content: '# Tone\n\nWarm and plain.',
      references: [{ name: 'examples.md', content: '## Good\n\nFresh oats.' }],
    })
    expect((await t.send('GET', '')).json).toEqual({
      data: [skill],
      pagination: { hasMore: false, nextCursor: null },
    })
    expect((await t.send('GET', `/${json.id}`)).json).toEqual(json)
    expect((await t.config('blog_writer')).defaultSkillIds).toEqual([json.id])
    expect((await t.config('analyst')).defaultSkillIds).toEqual([])
    expect((await t.tenantAgent('blog_writer')).skillIds).toEqual([json.id])
    expect((await t.tenantAgent('blog_writer')).isGlobalDefault).toBe(true)
  })

  it('takes name and description from the front matter, and prefers those of the form', async () => {
    await using t = await skillHarness()
    const file =
      '---\nname: SEO basics\ndescription: >\n  Read it before\n  a blog post.\nlicense: MIT\n---\n\nUse headings.\n'
    const { json } = await t.add({ file }, ['name', 'description'])
    expect(json).toMatchObject({
      name: 'SEO basics',
      description: 'Read it before a blog post.',
      content: file,
      sizeBytes: file.length,
    })
    expect((await t.add({ file, name: 'Other', description: 'When asked' })).json).toMatchObject({
      name: 'Other',
      description: 'When asked',
    })
    const ruled = await t.add({ file: '---\nA quotation\n---\n\nIts text', name: 'Ruled' })
    expect(ruled.json.content).toBe('---\nA quotation\n---\n\nIts text')
  })

  it.each([
    ['white space at its ends', '\n\n# Tone\n\nWarm and plain.  \n\n \n'],
    ['the line ends of another system', '# Tone\r\n\r\nWarm.\r\n'],
    ['a byte order mark and front matter', '\ufeff---\r\nname: Marked\r\n---\r\n\r\nWärm und schlicht.\r\n'],
  ])('stores a file with %s as it was uploaded, byte for byte', async (_, file) => {
    await using t = await skillHarness()
    const sizeBytes = Buffer.byteLength(file)
    const { json } = await t.add({ file })
    expect(json).toMatchObject({ content: file, sizeBytes })
    const shown = await t.send('GET', `/${json.id}`)
    expect(shown.json).toMatchObject({ content: file, sizeBytes })
    const listed = await t.send('GET', '')
    expect(listed.json.data).toMatchObject([{ sizeBytes }])
    const changed = await t.send('PATCH', `/${json.id}`, { content: `${file} ` })
    expect(changed.json).toMatchObject({ content: `${file} `, sizeBytes: sizeBytes + 1 })
  })

  it('assigns it to all roles, also to later ones, when requested', async () => {
    await using t = await skillHarness()
    const { json } = await t.add({ agentRoles: 'all' })
    const masters = (await t.operator.send('GET', '/admin/v1/agent-configs')).json.data
    expect(json.assignedAgents).toEqual(masters.map(({ role }: { role: string }) => role))
    await t.app.db.write((tx) => tx.run(`delete from master_agents where role = 'analyst'`))
    await t.app.copydesk.setUp()
    expect((await t.config('analyst')).defaultSkillIds).toEqual([json.id])
  })

  it('rejects invalid input, and changes nothing', async () => {
    await using t = await skillHarness()
    await t.add({ name: 'Taken' })
    const yaml = (text: string) => `---\n${text}\n---\nText`
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((to, i) => `${to}: &${to} [${Array(9).fill(`*${'abcdefgh'[i]}`).join()}]`)
      .join('\n')}`
    for (const [form, field] of [
      [{ file: ' \n' }, 'file'],
      [{ file: '---\nname: A\n---\n' }, 'file'],
      [{ file: Uint8Array.from([0x41, 0xff, 0xfe]) }, 'file'],
      [{ file: 'A\0B' }, 'file'],
      [{ file: yaml('a: [') }, 'file'],
      [{ file: yaml('a: b: c') }, 'file'],
      [{ file: yaml('name: [a]') }, 'file'],
      [{ file: yaml('name: a/b') }, 'file'],
      [{ file: yaml(bomb) }, 'file'],
      [{ file: yaml('['.repeat(12_000)) }, 'file'],
      [{ file: yaml('a: "x"\n'.repeat(4_000)) }, 'file'],
      [{ file: 'Text', fileName: 'skill.pdf', type: 'application/pdf' }, 'file'],
      [{ name: ' ' }, 'name'],
      [{ name: 'a/b' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ agentRoles: 'blog_writer,poet' }, 'agentRoles'],
    ] as const)
      await expectNothing(t.app, () => t.add(form), { status: 400, code: 'VALIDATION_ERROR', field })
    for (const field of ['file', 'name', 'description', 'agentRoles'] as const)
      await expectNothing(t.app, () => t.add({}, [field]), { status: 400, code: 'VALIDATION_ERROR', field })
    await expectNothing(t.app, () => t.add({ name: 'Taken' }), {
      status: 409,
      code: 'CONFLICT',
      field: 'name',
    })
    const json = () => t.send('POST', '', { name: 'A' })
    await expectNothing(t.app, json, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it('ignores hostile front matter', async () => {
    await using t = await skillHarness()
    const nasty = [
      '__proto__: {polluted: yes}',
      'constructor: {prototype: {polluted: yes}}',
      'when: !!js/function "function () { return 1 }"',
      'more: !!binary aGVsbG8=',
      'date: 2026-01-01',
    ].join('\n')
    const { status, json } = await t.add({ file: `---\n${nasty}\nname: Nasty\n---\nText` }, ['name'])
    expect({ status, name: json.name }).toEqual({ status: 201, name: 'Nasty' })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('accepts up to 2 MiB including references', async () => {
    await using t = await skillHarness()
    const most = 2 * 1024 * 1024
    const fits = await t.add({ file: 'x'.repeat(most - 3), references: { 'a.md': 'abc' }, agentRoles: '' })
    expect(fits).toMatchObject({ status: 201, json: { sizeBytes: most } })
    const large = { status: 413, code: 'PAYLOAD_TOO_LARGE' }
    await expectNothing(t.app, () => t.add({ name: 'B', file: 'x'.repeat(most + 1) }), large)
    const together = { name: 'C', file: 'x'.repeat(most - 2), references: { 'a.md': 'abc' } }
    await expectNothing(t.app, () => t.add(together), large)
  })

  it('limits the skills of an agent to 4 MiB', async () => {
    await using t = await skillHarness()
    const half = 'x'.repeat(2 * 1024 * 1024)
    for (const name of ['A', 'B']) expect((await t.add({ name, file: half })).status).toBe(201)
    const more = await t.add({ name: 'C', file: 'x', agentRoles: '' })
    await expectNothing(t.app, () => t.add({ name: 'D', file: 'x' }), { status: 422, code: 'UNPROCESSABLE' })
    const give = () => t.send('PATCH', `/${more.json.id}`, { agentRoles: ['blog_writer'] })
    await expectNothing(t.app, give, { status: 422, code: 'UNPROCESSABLE' })
  })
})

describe('admin.skills.list', () => {
  it('filters by role and words, page by page', async () => {
    await using t = await skillHarness()
    const own = { ...toneSkill, name: 'Of a tenant' }
    await sendForm(t.app, 'POST', '/dashboard/v1/skills', t.team.adminToken, own)
    for (const [name, agentRoles] of [
      ['Tone', 'blog_writer'],
      ['Headlines', 'ads_writer,blog_writer'],
      ['Search words', 'analyst'],
    ])
      await t.add({ name: name as string, agentRoles: agentRoles as string })
    const names = async (query: string) =>
      (await t.send('GET', query)).json.data.map(({ name }: { name: string }) => name)
    expect(await names('')).toEqual(['Search words', 'Headlines', 'Tone'])
    expect(await names('?filter.agentRole=blog_writer')).toEqual(['Headlines', 'Tone'])
    expect(await names('?filter.agentRole=poet')).toEqual([])
    expect(await names('?search=headl')).toEqual(['Headlines'])
    const first = (await t.send('GET', '?limit=2&order=asc')).json
    expect(first.pagination).toEqual({ hasMore: true, nextCursor: first.data[1].id })
    expect(await names(`?limit=2&order=asc&cursor=${first.pagination.nextCursor}`)).toEqual(['Search words'])
  })
})
