import { activateSequence as activate } from '../../domain/delivery/sequences/activate.ts'
import { listSequences } from '../../domain/delivery/sequences/queries.ts'
import { sendReviewStep } from '../../domain/delivery/sequences/reviews.ts'
import {
  NewSequence,
  SequenceActivation,
  SequenceItem,
  SequenceList,
  SequenceStepChange,
  StepReleased,
  StepToRelease,
} from '../../domain/delivery/sequences/schemas.ts'
import { changeStep, createSequence } from '../../domain/delivery/sequences/sequences.ts'
import { OfTenant } from '../../domain/work/brand/schemas.ts'
import { OrderStarted, ReviewOrder } from '../../domain/work/campaigns/workflow/content-schemas.ts'
import { generateReviews } from '../../domain/work/campaigns/workflow/orders.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { everybody, team } from './access.ts'

export const sequences = endpoint({
  id: 'tenant.campaigns.sequences',
  route: 'GET /campaigns/:campaignId/sequences',
  summary: 'The e-mail sequences of a campaign with their steps, and how far they are',
  access: everybody,
  query: OfTenant,
  reply: { 200: SequenceList },
}).handle((ctx, { params }) => listSequences(ctx, params.campaignId))

export const addSequence = endpoint({
  id: 'tenant.campaigns.add_sequence',
  route: 'POST /campaigns/:campaignId/sequences',
  summary: 'Add an e-mail sequence as a draft',
  description:
    'The campaign is of the type `email_marketing`. Without `steps` there are three empty ones, at once and after 3 and 7 days. `{{firstName}}`, `{{lastName}}` and `{{company}}` stand for the contact’s.',
  access: team,
  body: NewSequence,
  reply: { 201: SequenceItem },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign_sequence.create',
}).handle((ctx, { params, body }) => createSequence(ctx, params.campaignId, body))

export const changeSequenceStep = endpoint({
  id: 'tenant.campaigns.change_sequence_step',
  route: 'PATCH /campaigns/:campaignId/sequences/:sequenceId/steps/:stepId',
  summary: 'Change subject, body or delay of one mail',
  description:
    '`delay` is in days after the mail before. A sequence that is active is paused until it is activated again: only text that an admin has approved goes out.',
  access: team,
  body: SequenceStepChange,
  reply: { 200: SequenceItem },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign_sequence.change_step',
}).handle((ctx, { params, body }) => changeStep(ctx, params, body))

export const activateSequence = endpoint({
  id: 'tenant.campaigns.activate_sequence',
  route: 'POST /campaigns/:campaignId/sequences/:sequenceId/activate',
  summary: 'Let a sequence run',
  description:
    'An admin approves the texts by it; others can activate what an admin has approved as it is. The campaign is active. Each contact gets each mail once, with a link to unsubscribe. With `contentHash`, 409 when texts or delays are not those that were seen any more.',
  access: team,
  body: SequenceActivation,
  reply: { 200: SequenceItem },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'campaign_sequence.activate',
}).handle((ctx, { params, body }) => activate(ctx, params, body))

export const reviewSequence = endpoint({
  id: 'tenant.campaigns.review_sequence',
  route: 'POST /campaigns/:campaignId/review-sequence',
  summary: 'Have the mails written that ask customers for a review',
  description:
    'The campaign is of the type `review_generation`. The text waits for its verdict; once it is approved, its mails are a sequence of the campaign.',
  access: team,
  body: ReviewOrder,
  reply: { 202: OrderStarted },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'campaign.review_sequence',
}).handle((ctx, { params, body }) => generateReviews(ctx, params.campaignId, body))

export const sendReviewRequests = endpoint({
  id: 'tenant.campaigns.send_review_requests',
  route: 'POST /campaigns/:campaignId/review-sequence/send',
  summary: 'Let the next review request go out',
  description:
    'To the leads that were `converted` when the first one went out, each once, with a link to unsubscribe. 409 while the step before is still going out, and within a minute of it unless `step` says which one is meant, from 1; 409 when that one has been let go already.',
  access: team,
  body: StepToRelease,
  reply: { 202: StepReleased },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'campaign.send_review_requests',
}).handle((ctx, { params, body }) => sendReviewStep(ctx, params.campaignId, body))
