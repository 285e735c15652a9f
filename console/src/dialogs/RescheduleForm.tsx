import { useState } from 'preact/hooks';
import type { Post } from 'social-publishing';
import { FieldError } from '../parts/field-problems.js';
import { Form } from '../parts/Form.js';
import { TimeField } from '../parts/TimeField.js';
import { confirmPast, postToFocus, reschedule, warningOfPast } from '../state/reschedule.js';
import { view } from '../state/route.js';
import { fromField, toField } from '../state/time.js';
import { isLost } from '../world/lost.js';
import { explain } from '../world/blame.js';

/** Moves a scheduled post to another time. The service's refusal is shown at the field. */
export function RescheduleForm({ post }: { readonly post: Post }) {
  const shown = toField(post.scheduledFor ?? '');
  const [isLate, setLate] = useState(false);
  return (
    <Form
      submit="Reschedule"
      confirm={isLate ? confirmPast : undefined}
      label="Reschedule the post"
      class="form time-form"
      onSubmit={async ({ time = '' }) => {
        try {
          await reschedule(post, fromField(time));
          // When the dialog closes.
          if (view.value === 'calendar') postToFocus.value = post.postId;
        } catch (error) {
          if (await isLost(error)) throw error;
          throw new FieldError('time', (await explain(error)).words);
        }
      }}
    >
      <TimeField
        key={shown}
        label="Time"
        first={shown}
        warningOf={warningOfPast}
        onTime={(time) => {
          setLate(warningOfPast(time) !== '');
        }}
      />
    </Form>
  );
}
