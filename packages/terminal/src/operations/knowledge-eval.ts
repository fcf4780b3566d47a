import type { OperationBase, Parameters } from './operation.ts'
import { onlyTenant } from './paging.ts'

const evalParameters = {
  folder: {
    kind: 'argument',
    required: true,
    summary: 'a collection in the files of BEIR: corpus.jsonl, queries.jsonl and qrels.tsv or qrels/test.tsv',
  },
  dataset: {
    kind: 'text',
    value: 'dataset',
    summary:
      'search this dataset of the server, whose file names are the ids of documents; without it, the corpus is ingested into a temporary installation',
  },
  tenant: { ...onlyTenant, summary: 'the tenant of the dataset; not needed when you have only one' },
  alpha: {
    kind: 'text',
    value: 'number',
    summary: 'from 0, by words only, to 1, by meaning only (0.7, and 0 without embeddings)',
  },
  rerank: {
    kind: 'flag',
    summary: 'have the model of `rerank` in the configuration rank the best results of each query once more',
  },
  top: {
    kind: 'number',
    value: 'count',
    min: 1,
    max: 20,
    summary: 'how many documents of each query count (10)',
  },
  database: {
    kind: 'text',
    value: 'url',
    summary:
      'an empty PostgreSQL database for the temporary installation; its tables are dropped afterwards (SQLite)',
  },
} as const satisfies Parameters

/** The command that measures search. */
export const kbEval: OperationBase<typeof evalParameters> = {
  name: 'kb eval',
  summary: 'measure search on a collection with queries and judgements: recall, nDCG and which queries lost',
  effect: 'reads',
  params: evalParameters,
  examples: [
    'kb eval scifact/',
    'kb eval scifact/ --alpha 0.3 --json',
    'kb eval scifact/ --rerank',
    'kb eval questions/ --dataset client-documents --tenant rye.example',
  ],
}
