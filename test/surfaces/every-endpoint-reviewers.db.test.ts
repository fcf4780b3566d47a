import { knockOnEvery } from './knocking.ts'

knockOnEvery('reviewers')
