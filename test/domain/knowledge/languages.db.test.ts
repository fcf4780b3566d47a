import { describe, expect, it } from 'vitest'
import { embedAgain } from '../../../packages/core/src/domain/knowledge/ingestion/embed-again.ts'
import { ingest } from '../../../packages/core/src/domain/knowledge/ingestion/ingest.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { addDocuments, datasetOf } from '../../kit/knowledge.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { parts } from '../agents.ts'

const german = {
  'öfen.md': `# Unsere Öfen

Die Häuser der Bäckerei stehen in Köln, und jedes von ihnen hat einen Ofen aus Stein. Das Brot wird in der Nacht gebacken.`,
  'preise.md':
    'Der Preis für ein Roggenbrot ist vier Euro. Für Bestellungen mit der Nummer AB-1234 wird nicht mehr verlangt.',
}
const english = {
  'ovens.md':
    'The houses of the shop are in Bristol, and each of them has an oven. The rye bread is baked at night.',
}

/** The names of the files in which a query finds something, the best first. */
async function search({ member }: Team, query: string, datasets = ['Client documents']): Promise<string[]> {
  const datasetIds: string[] = []
  for (const name of datasets) datasetIds.push(await datasetOf({ member } as Team, name))
  const { results } = await member.call('dashboard', 'POST /knowledge-base/search', {
    body: { query, datasetIds, topK: 20 },
  })
  for (const { score } of results) {
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThanOrEqual(1)
  }
  return results.map(({ fileName }) => fileName)
}

const languageOf = async ({ db }: TestApp, fileId: string) =>
  (
    await db.sql.get<{ language: string | null }>('select language from knowledge_files where id = ?', [
      fileId,
    ])
  )?.language

describe('dashboard.knowledge_base.search by the language of a document', () => {
  it('finds German words in their other forms, also in headings, and with or without capitals', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    await addDocuments(app, team, german)
    expect(await search(team, 'Haus')).toEqual(['öfen.md'])
    expect(await search(team, 'Preise')).toEqual(['preise.md'])
    expect(await search(team, 'der bestellung')).toEqual(['preise.md'])
    expect(await search(team, 'ofen')).toEqual(['öfen.md'])
    expect(await search(team, 'Roggenbrote')).toEqual(['preise.md'])
    // Not by the rules of English, by which it would be the same word as “Nacht” without its ending.
    expect(await search(team, 'Nachting')).toEqual([])
  })

  it('finds phrases and signs exactly in any language', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    await addDocuments(app, team, german)
    expect((await search(team, 'Köln "in der Nacht"'))[0]).toBe('öfen.md')
    expect((await search(team, 'ab-1234'))[0]).toBe('preise.md')
    expect(await search(team, '"der die das"')).toEqual(expect.not.arrayContaining(['ovens.md']))
  })

  it('finds each file by the rules of its own language where a dataset has two', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const [rye] = await addDocuments(app, team, english)
    const [oven] = await addDocuments(app, team, german)
    expect(await languageOf(app, rye ?? '')).toBe('en')
    expect(await languageOf(app, oven ?? '')).toBe('de')
    expect(await search(team, 'Haus')).toEqual(['öfen.md'])
    expect(await search(team, 'house')).toEqual(['ovens.md'])
    expect((await search(team, 'oven Öfen')).toSorted()).toEqual(['ovens.md', 'öfen.md'].toSorted())
    // A word that is frequent in one language says something in the other.
    expect(await search(team, 'die')).toEqual([])
    // Two datasets, of which one is in German.
    await addDocuments(
      app,
      team,
      { 'news.md': 'The house of the others is for sale, and they are moving.' },
      'Competitor research',
    )
    expect((await search(team, 'houses', ['Competitor research', 'Client documents'])).toSorted()).toEqual([
      'news.md',
      'ovens.md',
    ])
  })

  it.each([
    [
      'fr',
      'cheval',
      'Les chevaux de la ferme sont dans les prés, et ils mangent avec les autres animaux du village.',
    ],
    [
      'es',
      'panadería',
      'Las panaderías de la ciudad están cerca de los mercados y abren todos los días por la mañana.',
    ],
    [
      'it',
      'forno',
      'I forni della città sono aperti anche di notte, perché il pane non si compra solo di giorno.',
    ],
    [
      'pt',
      'padaria',
      'As padarias da cidade não abrem aos domingos, mas os mercados também têm pão para todos.',
    ],
    [
      'nl',
      'bakkerij',
      'De bakkerijen in het centrum zijn open, maar op zondag is er geen brood voor de mensen.',
    ],
    [
      'sv',
      'bageri',
      'Bagerierna i staden är öppna, men på söndagar är det inte någon som har bröd för alla.',
    ],
    [
      'da',
      'bageri',
      'Bagerierne i byen er åbne, men om søndagen er der ikke noget brød, og det er synd for alle.',
    ],
    [
      'no',
      'bakeri',
      'Bakeriene i byen er åpne, men på søndager er det ikke noe brød, og det er synd for oss alle.',
    ],
    [
      'fi',
      'leipomo',
      'Leipomot ovat auki, mutta sunnuntaina ei ole leipää, ja se on ikävää, koska he eivät tiedä sitä.',
    ],
    [
      'ru',
      'пекарня',
      'Пекарни в городе открыты, но в воскресенье хлеба нет, и это не для всех так просто, как кажется.',
    ],
  ])('finds another form of a word in a text in %s', async (language, query, text) => {
    await using app = await createTestApp()
    const team = await app.team()
    const [id] = await addDocuments(app, team, { 'text.txt': text, ...english })
    expect(await languageOf(app, id ?? '')).toBe(language)
    expect(await search(team, query)).toEqual(['text.txt'])
  })

  it('scores alike on every database, also words that no text has', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const texts = [
      'Die Häuser der Bäckerei stehen in Köln, und jedes von ihnen hat einen Ofen aus Stein.',
      'Das Roggenbrot wird in der Nacht gebacken, und am Morgen ist es im Laden.',
      'Unsere Läden öffnen um sieben, die Bäcker beginnen um drei Uhr in der Nacht.',
      'Haselnüsse können in allen Broten der Bäckerei enthalten sein.',
      'Die Bäckerei liefert Brote und Brötchen an Büros in Köln und in Bonn.',
      'Ein Haus in Bonn hat einen neuen Ofen, der mit Holz geheizt wird.',
    ]
    await addDocuments(app, team, Object.fromEntries(texts.map((text, n) => [`${n}.md`, text])))
    await addDocuments(app, team, {
      'bonn.md': 'The houses of the shop are in Bonn, and each of them has an oven of stone.',
    })
    const scored = async (query: string) => {
      const body = { query, datasetIds: [await datasetOf(team)], topK: 20 }
      const { results } = await team.member.call('dashboard', 'POST /knowledge-base/search', { body })
      return results.map(({ fileName, score }) => [fileName, score] as const)
    }
    for (const [query, expected] of [
      ['Brot in der Nacht', { '3.md': 0.292, '4.md': 0.263, '1.md': 0.192, '2.md': 0.189 }],
      ['Haus Öfen Bonn', { '5.md': 0.33, '0.md': 0.278, '4.md': 0.171, 'bonn.md': 0.144 }],
      // Half of what is asked for is nowhere.
      ['Nacht Plutonium', { '1.md': 0.225, '2.md': 0.225 }],
    ] as const) {
      const found = await scored(query)
      expect(found.map(([name]) => name)).toEqual(Object.keys(expected))
      const scores = found.map(([, score]) => score)
      for (const [n, score] of Object.values(expected).entries())
        expect(Math.abs((scores[n] as number) - score), query).toBeLessThan(0.01)
    }
  })

  it.each([
    [
      'de',
      ['hauser', 'Kuche', 'strasse'],
      'Die Häuser in der Straße haben eine Küche, und das ist nicht alles, was wir sehen.',
    ],
    [
      'fr',
      ['ecole', 'eleve', 'preferees'],
      'Les écoles de la ville sont dans les rues où nous avons vu des élèves, et elles sont préférées.',
    ],
    [
      'es',
      ['informacion', 'información', 'panaderia'],
      'Las informaciones de la panadería están en los papeles que no se ven desde la calle.',
    ],
    [
      'pt',
      ['producao', 'produção', 'padroes'],
      'As produções da padaria não são para todos, mas também têm um padrão que é muito bom.',
    ],
    ['sv', ['brod', 'gard', 'gården'], 'På gården är det inte någon som har bröd för alla, men det är gott.'],
    ['ru', ['чай', 'елка'], 'В городе нет чая, и это не для всех так просто, как кажется, но ёлки были там.'],
  ])('finds words in %s that are typed without accents', async (_language, queries, text) => {
    await using app = await createTestApp()
    const team = await app.team()
    await addDocuments(app, team, { 'text.txt': text })
    for (const query of queries) expect(await search(team, query), query).toEqual(['text.txt'])
  })

  it('goes by what a page says of its language where its text does not tell', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const page = (lang: string) =>
      `<html lang="${lang}"><title>Sortiment</title><body><main><h1>Sortiment</h1><p>Bäckereien, Roggenmehl, Weizenmehl</p></main></body></html>`
    const [german, english] = await addDocuments(app, team, {
      'german.html': page('de-DE'),
      'english.html': page('en'),
    })
    expect([await languageOf(app, german ?? ''), await languageOf(app, english ?? '')]).toEqual(['de', 'en'])
    expect(await search(team, 'Bäckerei')).toEqual(['german.html'])
  })

  it('has files stemmed again that were indexed before languages were told apart', async () => {
    await using app = await createTestApp({ worker: false })
    const team = await app.team()
    await using inside = await parts(app)
    const ctx = inside.adminOf(team.tenantId)
    const { signal } = new AbortController()
    const { uploadedFiles } = await addKnowledge(team.member, await datasetOf(team), {
      ...german,
      ...english,
    })
    for (const { id } of uploadedFiles) await ingest(ctx, { fileId: id }, signal)
    // As an installation of before has them.
    await app.db.write(async (tx) => {
      await tx.run('create table old_chunks as select * from knowledge_chunks')
      await tx.run('delete from knowledge_chunks')
      await tx.run('update old_chunks set heading_stems = null, text_stems = null')
      await tx.run('insert into knowledge_chunks select * from old_chunks')
      await tx.run('drop table old_chunks')
      await tx.run('update knowledge_files set language = null')
      await tx.run('update datasets set languages = null')
    })
    expect(await search(team, 'Haus')).toEqual([])
    expect(await search(team, 'Häuser')).toEqual(['öfen.md'])
    await embedAgain(inside.system())
    const waiting = await app.db.sql.all<{ id: string }>(
      "select id from knowledge_files where status = 'pending' order by file_name",
    )
    expect(waiting).toHaveLength(2)
    expect(await search(team, 'Häuser')).toEqual(['öfen.md'])
    for (const { id } of waiting) await ingest(ctx, { fileId: id }, signal)
    expect(await search(team, 'Haus')).toEqual(['öfen.md'])
    expect(await search(team, 'houses')).toEqual(['ovens.md'])
    await embedAgain(inside.system())
    expect(await app.db.sql.all("select id from knowledge_files where status = 'pending'")).toEqual([])
  })
})
