import { describe, expect, it } from 'vitest'
import { parsed, shortly } from '../../kit/documents.ts'

describe('parseDocument, of text', () => {
  const text = 'Grüße — Łódź\n\nzwei'
  const utf16 = (littleEndian: boolean) => {
    const bytes = Buffer.from(text, 'utf16le')
    return littleEndian ? bytes : bytes.swap16()
  }

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(true)])],
    ['UTF-16 in the other order', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16(false)])],
    ['UTF-16 without a mark', utf16(true)],
  ])('reads %s', async (_, bytes) => {
    expect(shortly(await parsed(bytes, 'a.txt'))).toEqual(['text Grüße — Łódź', 'text zwei'])
  })

  it('reads Windows-1252', async () => {
    const { blocks } = await parsed(Buffer.from('caf\xe9 \x80 5\n\nd\xe9j\xe0', 'latin1'), 'a.txt')
    expect(blocks.map(({ text }) => text)).toEqual(['café € 5', 'déjà'])
  })

  it('reads each line of a mixed file in its own encoding, and replaces what is valid in none', async () => {
    const lines = [
      Buffer.from('größer\n'),
      Buffer.from('gr\xf6\xdfer\n', 'latin1'),
      Buffer.from('Łódź, Łódź'),
    ]
    const { blocks } = await parsed(Buffer.concat([...lines, Buffer.from([0xc5])]), 'a.txt')
    expect(blocks[0]?.text).toBe('größer\ngrößer\nŁódź, Łódź\ufffd')
  })

  it('parts paragraphs at empty lines and page breaks, and keeps the lines within them', async () => {
    expect(shortly(await parsed('a\r\nb\r\n \r\n\r\nc\fd', 'a.txt'))).toEqual([
      'text a\nb',
      'text c',
      'text d',
    ])
  })
})

describe('parseDocument, of Markdown', () => {
  it('keeps headings with their levels, lists, tables and code', async () => {
    const source =
      '# Plan\n\nSome *text*\nin two lines.\n\n- a\n  - b\n\n## Costs\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\n# no heading\n\nx\n```\n\n> quoted\n\nDone\n====\n'
    const document = await parsed(source, 'a.md')
    expect(document).toMatchObject({ kind: 'markdown', title: 'Plan', language: null, pages: null })
    expect(shortly(document)).toEqual([
      'h1 Plan',
      'text Some *text*\nin two lines.',
      'text - a\n  - b',
      'h2 Costs',
      'table | a | b |\n|---|---|\n| 1 | 2 |',
      'code # no heading\n\nx',
      'text quoted',
      'h1 Done',
    ])
  })

  it('keeps the marks of authors, and reads HTML within it', async () => {
    const source =
      'a\n\n***\n\nb\n\n<!-- chunk -->\n\n<!-- a note\n\n# hidden -->\n\n<div hidden>x</div>\n\n<table><tr><td>1<td>2</table>\n'
    expect(shortly(await parsed(source, 'a.md'))).toEqual([
      'text a',
      'text ---',
      'text b',
      'text <!-- chunk -->',
      'table | 1 | 2 |\n| --- | --- |',
    ])
  })

  it('takes title and language from the front matter', async () => {
    const document = await parsed('---\ntitle: "The title"\nlang: de\ntags: [a]\n---\n\n# Other\n', 'a.md')
    expect(document).toMatchObject({ title: 'The title', language: 'de', blocks: [{ text: 'Other' }] })
    // A rule, a heading underlined by another one, and what is not YAML.
    for (const source of ['---\nx\n---\ny', '---\n{[\n---\ny'])
      expect(await parsed(source, 'a.md')).toMatchObject({ title: null, language: null })
  })

  it('reads a list, a table and code that are longer than what is read at a time', async () => {
    const list = Array.from({ length: 5_000 }, (_, at) => `- item ${at}`)
    const rows = Array.from({ length: 5_000 }, (_, at) => `| ${at} | x |`)
    const code = Array.from({ length: 5_000 }, (_, at) => `line ${at}\n\n# no heading`)
    const source = [
      list.join('\n'),
      '',
      '| a | b |',
      '| - | - |',
      rows.join('\n'),
      '',
      '```',
      code.join('\n'),
      '```',
      '',
      '# End',
    ].join('\n')
    const { blocks } = await parsed(source, 'a.md')
    const kinds = blocks.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind !== 'text')).toEqual(['table', 'code', 'heading'])
    const items = blocks.filter(({ kind }) => kind === 'text').map(({ text }) => text)
    expect(items.join('\n')).toBe(list.join('\n'))
  })
})

describe('parseDocument, of values in rows', () => {
  it.each([
    ['commas', 'Name,Price\n"Plus, new",25\n'],
    ['semicolons', 'Name;Price\nPlus, new;25\n'],
    ['tabs', 'Name\tPrice\nPlus, new\t25\n'],
    ['bars', 'Name|Price\nPlus, new|25'],
  ])('finds %s between the columns', async (_, source) => {
    const document = await parsed(source, 'a.csv')
    expect(document.kind).toBe('csv')
    expect(shortly(document)).toEqual(['table | Name | Price |\n| --- | --- |\n| Plus, new | 25 |'])
  })

  it('repeats the header for some rows at a time, and loses none', async () => {
    const rows = Array.from({ length: 100_000 }, (_, row) =>
      Array.from({ length: 10 }, (_, column) => `${row}.${column}`),
    )
    const { blocks } = await parsed(
      `${'abcdefghij'.split('').join(',')}\n${rows.map((row) => row.join(',')).join('\n')}`,
      'a.csv',
    )
    expect(
      blocks.every(
        ({ kind, text }) => kind === 'table' && text.startsWith('| a | b | c |') && text.length < 10_000,
      ),
    ).toBe(true)
    const read = blocks.flatMap(({ text }) => text.split('\n').slice(2))
    expect(read).toHaveLength(100_000)
    expect(read.at(-1)).toBe(`| ${rows.at(-1)?.join(' | ')} |`)
  })

  it('keeps lines and bars within cells from breaking the table, and rows of other lengths', async () => {
    expect(shortly(await parsed('a,b\n"x\ny","1|2"\n1,2,3\n\n4\n', 'a.csv'))).toEqual([
      'table | a | b |  |\n| --- | --- | --- |\n| x y | 1\\|2 |\n| 1 | 2 | 3 |\n| 4 |',
    ])
  })

  it('reads a file with a quote that is never closed as if it had none', async () => {
    expect(shortly(await parsed('a,b\n"1,2\n3,4\n', 'a.csv'))).toEqual([
      'table | a | b |\n| --- | --- |\n| "1 | 2 |\n| 3 | 4 |',
    ])
  })
})
