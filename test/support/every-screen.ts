import type { Page } from 'playwright-core'
import { verdictWords } from '../../schemas/words.ts'
import { openMatrix, openTab, press, rail, titled } from './window-steps.ts'

/** A screen or a dialog of the main window, and how a person gets there from any other screen. */
export interface Screen {
  readonly name: string
  readonly open: (page: Page) => Promise<void>
  /** A dialog is closed again before the next screen is opened. */
  readonly isOver?: true
}

const named =
  (place: string, title: string = place) =>
  async (page: Page): Promise<void> => {
    await rail(page, place)
    await titled(page, title)
  }
const dialog = (page: Page): Promise<void> => page.getByRole('dialog').waitFor()
const details = (page: Page) => page.getByRole('button', { name: /^Details of F-/ }).first()
const findings = async (page: Page): Promise<void> => {
  await rail(page, 'Findings')
  await details(page).waitFor()
}
const chooseTwo = async (page: Page): Promise<void> => {
  await findings(page)
  // What was chosen for a dialog that was closed stays chosen.
  const clear = page.getByRole('button', { name: 'Clear selection' })
  if (await clear.isVisible()) await clear.click()
  const choose = page.locator('.findings tbody .check')
  await choose.nth(0).click()
  await choose.nth(1).click()
}
const why = async (page: Page): Promise<void> => {
  await openMatrix(page)
  await page.getByRole('grid').getByRole('gridcell').first().click()
  await titled(page, /▸/)
  await page.locator('.claim').waitFor()
}
const node = async (page: Page): Promise<void> => {
  await openMatrix(page)
  await page.getByRole('grid').getByRole('rowheader').first().getByRole('button').click()
  await page.locator('.node-properties').waitFor()
}
const tab =
  (place: string, name: string) =>
  async (page: Page): Promise<void> => {
    await rail(page, place)
    await openTab(page, name)
  }
/** An export goes on where it was left, so that the screens of its steps follow each other. */
const exportStep = (steps: number) => async (page: Page) => {
  await rail(page, 'Evidence packs')
  await press(page, /^(Export evidence pack|Continue export)/)
  await page.locator('.export-step').first().waitFor()
  for (let step = 0; step < steps; step += 1) await press(page, 'Continue')
}

/** Screens that show the results of a run, which a fleet of any size has. */
export const RESULT_SCREENS: readonly Screen[] = [
  {
    name: 'overview',
    open: async (page) => {
      await rail(page, 'Overview')
      await page.locator('.home-steps').waitFor()
    },
  },
  { name: 'findings', open: findings },
  {
    name: 'findings-details',
    open: async (page) => {
      await findings(page)
      await details(page).click()
      await page.locator('.response-form').waitFor()
    },
  },
  {
    name: 'findings-respond',
    open: async (page) => {
      await chooseTwo(page)
      await press(page, 'Respond…')
      await dialog(page)
    },
    isOver: true,
  },
  {
    name: 'findings-accept',
    open: async (page) => {
      await chooseTwo(page)
      await press(page, 'Add risk acceptance…')
      await dialog(page)
    },
    isOver: true,
  },
  {
    name: 'finding',
    open: async (page) => {
      await findings(page)
      await page.locator('.findings th.condition .button').first().click()
      await page.locator('.node-evidence').first().waitFor()
    },
  },
  { name: 'matrix', open: openMatrix },
  {
    name: 'checks',
    open: async (page) => {
      await rail(page, 'Overview')
      await page.getByText('Checks without a deviation').getByRole('button').click()
      await page.locator('h1').waitFor()
      await page.getByRole('table').first().waitFor()
    },
  },
  { name: 'why', open: why },
  {
    name: 'why-proof',
    open: async (page) => {
      await why(page)
      await page
        .locator('.claims-list button')
        .filter({ hasText: verdictWords['not-satisfied'].label })
        .or(page.locator('.claims-list button'))
        .first()
        .click()
      await page.locator('.account-entry .disclosure-button').first().click()
      await page.locator('.proof').first().waitFor()
    },
  },
  { name: 'node', open: node },
  {
    name: 'evidence',
    open: async (page) => {
      await node(page)
      await press(page, 'Open raw evidence')
      await page.locator('.text-row').first().waitFor()
    },
  },
  {
    name: 'controls',
    open: async (page) => {
      await named('Controls')(page)
      await page.getByRole('treegrid').waitFor()
    },
  },
  {
    name: 'control',
    open: async (page) => {
      await named('Controls')(page)
      await page.getByLabel('Find a control').fill('encrypt')
      await page.locator('.tree-control').first().click()
      await page.getByRole('button', { name: 'All controls' }).waitFor()
    },
  },
  {
    name: 'documents',
    open: async (page) => {
      await named('Documents')(page)
      await page.locator('.slot').first().waitFor()
    },
  },
  { name: 'documents-by-owner', open: tab('Documents', 'Outstanding by owner') },
  {
    name: 'documents-add',
    open: async (page) => {
      await tab('Documents', 'All requests')(page)
      await page
        .getByRole('button', { name: /^Add document:/ })
        .first()
        .click()
      await dialog(page)
    },
    isOver: true,
  },
  {
    name: 'documents-request',
    open: async (page) => {
      await tab('Documents', 'All requests')(page)
      await page
        .getByRole('button', { name: /^Set owner and due date:/ })
        .first()
        .click()
      await dialog(page)
    },
    isOver: true,
  },
  { name: 'risk-acceptances', open: named('Risk acceptances') },
  { name: 'location', open: named('Location') },
  { name: 'claims', open: named('Provider claims') },
  { name: 'engagement', open: tab('Engagement', 'Declared') },
  { name: 'population', open: tab('Engagement', 'Population') },
  { name: 'custom-frameworks', open: tab('Engagement', 'Custom frameworks') },
  {
    name: 'nodes',
    open: async (page) => {
      await rail(page, 'Nodes')
      await page.getByRole('tab', { name: /^In scope/ }).click()
      await page.getByRole('grid').waitFor()
    },
  },
  { name: 'nodes-import', open: tab('Nodes', 'Import') },
  { name: 'nodes-host-keys', open: tab('Nodes', 'Host keys') },
  {
    name: 'command-preview',
    open: async (page) => {
      await named('Nodes')(page)
      await press(page, 'Preview commands')
      await page.getByRole('table').first().waitFor()
    },
  },
  { name: 'declarations', open: tab('Declarations', 'All nodes') },
  { name: 'declarations-nodes', open: tab('Declarations', 'Single nodes') },
  { name: 'declarations-file', open: tab('Declarations', 'Fleet file') },
  { name: 'packs', open: named('Evidence packs') },
  { name: 'export-scope', open: exportStep(0) },
  { name: 'export-redact', open: exportStep(1) },
  { name: 'export-seal', open: exportStep(1) },
  { name: 'history', open: tab('History', 'Calendar') },
  { name: 'history-compare', open: tab('History', 'Compare runs') },
  { name: 'schedules', open: named('Schedules') },
  ...(['Signing identities', 'Time-stamping', 'Trusted signers', 'SSH', 'Privacy', 'Appearance', 'About'] as const).map(
    (name) => ({
      name: `settings-${name.toLowerCase().replaceAll(' ', '-')}`,
      open: tab('Settings', name),
    }),
  ),
  {
    name: 'settings-glossary',
    open: async (page) => {
      await tab('Settings', 'About')(page)
      await press(page, /^Results and conclusions/)
      await page.locator('dl.facts dt').getByText('check', { exact: true }).waitFor()
    },
  },
  {
    name: 'search',
    open: async (page) => {
      await page.locator('h1').focus()
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Search' }).waitFor()
      await page.keyboard.type('encrypt')
      await page.getByRole('option').first().waitFor()
    },
    isOver: true,
  },
  {
    name: 'shortcuts',
    open: async (page) => {
      await page.locator('h1').focus()
      await page.keyboard.press('?')
      await dialog(page)
    },
    isOver: true,
  },
]

/** Parts of the window of a pack that is reviewed, by their place in its navigation. */
export const REVIEW_PARTS = [
  'Verification',
  'Findings',
  'Results',
  'Location',
  'Controls',
  'Engagement',
  'Provider claims',
  'Raw evidence',
  'Sampling',
  'What is not shown',
] as const
type ReviewPlace = (typeof REVIEW_PARTS)[number]

/** Opens a part of a review, and waits until it is drawn. */
export async function reviewPart(review: Page, part: ReviewPlace): Promise<void> {
  await review
    .getByRole('navigation', { name: 'Pack sections' })
    .getByRole('button', { name: part, exact: true })
    .click()
  await review.locator('h1').waitFor()
  await review.locator('.waiting').waitFor({ state: 'detached' })
}

const inReview =
  (part: ReviewPlace, open: (review: Page) => Promise<unknown>) =>
  async (review: Page): Promise<void> => {
    await reviewPart(review, part)
    await open(review)
  }

/** Screens and dialogs of a review that its navigation does not name. */
export const REVIEW_SCREENS: readonly Screen[] = [
  {
    name: 'confirm-signer',
    open: inReview('Verification', async (review) => {
      await press(review, 'Confirm signer…')
      await dialog(review)
    }),
    isOver: true,
  },
  {
    name: 'trust-authority',
    open: inReview('Verification', async (review) => {
      await press(review, /Trust an authority/)
      await dialog(review)
    }),
    isOver: true,
  },
  {
    name: 'findings-details',
    open: inReview('Findings', async (review) => {
      await details(review).click()
      await review.locator('.finding-inside .argument').first().waitFor()
    }),
  },
  {
    name: 'finding',
    open: inReview('Findings', async (review) => {
      await review.locator('.findings th.condition .button').first().click()
      await review.locator('.node-evidence').first().waitFor()
    }),
  },
  {
    name: 'why',
    open: inReview('Results', async (review) => {
      await review.getByRole('grid').getByRole('gridcell').first().click()
      await review.locator('.claim').waitFor()
    }),
  },
  {
    name: 'node',
    open: inReview('Results', async (review) => {
      await review.getByRole('grid').getByRole('rowheader').first().getByRole('button').click()
      await review.locator('.node-properties').waitFor()
    }),
  },
  {
    name: 'evidence',
    open: inReview('Raw evidence', async (review) => {
      await review
        .getByRole('main')
        .getByRole('button', { name: /^Open raw evidence of/ })
        .first()
        .click()
      await review.locator('.text-row').first().waitFor()
    }),
  },
  {
    name: 'control',
    open: inReview('Controls', async (review) => {
      await review.getByLabel('Find a control').fill('encrypt')
      await review.locator('.tree-control').first().click()
      await review.getByRole('button', { name: 'All controls' }).waitFor()
    }),
  },
  {
    name: 'search',
    open: inReview('Verification', async (review) => {
      await review.locator('h1').focus()
      await review.keyboard.press('Control+k')
      await review.getByRole('dialog', { name: 'Search' }).waitFor()
      await review.keyboard.type('encrypt')
      await review
        .getByText(/^Checks: /)
        .first()
        .waitFor()
    }),
    isOver: true,
  },
  {
    name: 'shortcuts',
    open: inReview('Verification', async (review) => {
      await review.locator('h1').focus()
      await review.keyboard.press('?')
      await dialog(review)
    }),
    isOver: true,
  },
]

/** Closes what lies over the screen, such as a dialog. */
export async function closeOver(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}
