import type { Sentence } from './corpus.ts'

/** What is asked about the knowledge base. */
export const knowledgeCorpus: readonly Sentence[] = [
  ['show the knowledge base of rye mill', '= The knowledge base of Rye Mill has 0 files in 3 datasets'],
  ['what is in the knowledge base', '= The knowledge base has 0 files in 6 datasets'],
  ['how many files are in the knowledge base of hearth', '= The knowledge base of Hearth & Oat has 0 files'],
  ['datasets', '= The knowledge base has 0 files in 6 datasets'],
  ['search the knowledge base of Hearth for Delivery times', '/kb search "Delivery times" --tenant HEARTH'],
  [
    'please search the knowledge base for delivery times at rye mill',
    '/kb search "delivery times" --tenant MILL',
  ],
  [
    'find the prices of oats in the knowledge base of rye mill',
    '/kb search "the prices of oats" --tenant MILL',
  ],
  ["what does Rye Mill's knowledge base say about sourdough?", '/kb search sourdough --tenant MILL'],
  ['search the knowledge base of hearth for "--top 3"', '/kb search "top 3" --tenant HEARTH'],
  ['search the knowledge base for delivery times', '? Whose knowledge base && [search the knowledge base of'],
  ['search the knowledge base of hearth and rye mill for oats', '? One tenant at a time'],
  ['search the knowledge base', '? What is to be looked for'],
  ['delete the knowledge base of hearth', '?'],
]
