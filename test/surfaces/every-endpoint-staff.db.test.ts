import { knockOnEvery } from './knocking.ts'

knockOnEvery('staff')
