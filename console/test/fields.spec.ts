import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { serveWorld, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeAll(async () => {
  world = await serveWorld((service) => {
    service.seed.demo();
  });
});

afterAll(() => world.close());

/** A form, the button that sends it, and the fields that it requires, in order. */
const forms = [
  { path: '#/messages?conversation=new', submit: 'Start conversation', fields: ['Name', 'Message'] },
  { path: '#/messages', submit: 'Send', fields: ['Text'] },
  { path: '#/comments', submit: 'Comment', fields: ['Comment'] },
  { path: '#/accounts', submit: 'Register', fields: ['Name', 'Client ID', 'Client secret'] },
  { path: '#/accounts', submit: 'Select', fields: ['Token', 'Account IDs'] },
  { path: '#/automations?automation=new', submit: 'Create', fields: ['Keywords', 'Public replies'] },
  { path: '#/webhooks?show=subscriptions', submit: 'Subscribe', fields: ['URL'] },
  { path: '#/posts?tool=state', submit: 'Import the state', fields: ['State file'] },
  { path: '#/posts?tool=state', submit: 'Add the records', fields: ['Seed file'] },
] as const;

describe('a form that is sent without its required fields', () => {
  it.each(forms)('marks them, and moves the focus to the first one: $submit', async ({ path, submit, fields }) => {
    const { page, leave } = await visit(browser(), `${world.url}${path}`);
    const button = page.locator('main, dialog').getByRole('button', { name: submit, exact: true });
    await button.click();
    await expect.poll(() => focused(page)).toBe(fields[0]);
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: submit, exact: true }) });
    for (const label of fields) {
      const field = form.getByLabel(label, { exact: true });
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const ids = (await field.getAttribute('aria-describedby')) ?? '';
      expect(await page.locator(`#${ids.split(' ').at(-1) ?? ''}`).innerText()).not.toBe('');
    }
    expect(await form.locator('[aria-invalid=true]').count()).toBe(fields.length);
    expect(await page.locator('[role=alert]').count()).toBe(0);
    await leave();
  });

  it('marks a wrong number of a fault, and the text of a planned outcome', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/faults`);
    const requests = page.getByRole('form', { name: 'Add a rule for requests' });
    await requests.getByLabel('Status').fill('99');
    await requests.getByRole('button', { name: 'Add rule' }).click();
    await expect.poll(() => focused(page)).toBe('Status');
    expect(await requests.getByLabel('Status').getAttribute('aria-invalid')).toBe('true');
    const outcomes = page.getByRole('form', { name: 'Plan an outcome' });
    await outcomes.getByLabel('Text').fill('');
    await outcomes.getByRole('button', { name: 'Add rule' }).click();
    await expect.poll(() => focused(page)).toBe('Text');
    expect(await outcomes.getByLabel('Text').getAttribute('aria-invalid')).toBe('true');
    expect(world.service.faults.list()).toEqual([]);
    await leave();
  });

  it('asks for an event of a subscription, and for the recipients of an email', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks?show=subscriptions`);
    await page.getByLabel('Channel').selectOption('email');
    const subscribe = page.getByRole('button', { name: 'Subscribe', exact: true });
    await subscribe.click();
    await expect.poll(() => focused(page)).toBe('Recipients');
    await page.getByLabel('Recipients').fill('ada@example.com');
    const events = page.getByRole('group', { name: 'Events' });
    for (const box of await events.getByRole('checkbox').all()) await box.uncheck();
    await subscribe.click();
    await events.getByText('Choose at least one event.').waitFor();
    expect(await events.getByRole('checkbox').first().getAttribute('aria-invalid')).toBe('true');
    await expect
      .poll(() =>
        events
          .getByRole('checkbox')
          .first()
          .evaluate((box) => box === document.activeElement),
      )
      .toBe(true);
    await leave();
  });
});
