// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';

import { addMember, membersQuery, removeMember, type Member, type NewMember } from '../../api/members';
import { quote } from '../../lib/curl';
import { date } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Command } from '../../ui/Copy';
import { Confirm, Dialog } from '../../ui/Dialog';
import { Empty, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Segmented, SelectField, TextField } from '../../ui/Field';
import { toast } from '../../ui/messages';
import { Panel } from '../../ui/Panel';
import css from './settings.module.css';

const roles: Readonly<Record<string, { readonly label: string; readonly hint: string }>> = {
  'reelops-viewer': { label: 'Viewer', hint: 'Reads everything except API keys.' },
  'reelops-editor': { label: 'Editor', hint: 'Reads, and creates content and media.' },
  'reelops-publisher': { label: 'Publisher', hint: 'Reads, creates content and publishes it.' },
};

/** MemberSettings lists who has a role in the account, and gives and withdraws roles. */
export function MemberSettings() {
  const { account } = useWorkspace();
  const client = useQueryClient();
  const members = useQuery(membersQuery(account));
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Member | null>(null);
  const reload = () => client.invalidateQueries({ queryKey: ['members', account] });
  const grantable = members.data?.can.roles ?? [];
  return (
    <Panel
      title="Members"
      actions={
        <Button
          look="primary"
          icon="add"
          disabled={grantable.length === 0}
          onClick={() => {
            setAdding(true);
          }}
        >
          Add member
        </Button>
      }
    >
      <p className={css['lead']}>
        Each member is a RoleBinding in the namespace {account}. Roles in the whole cluster are not listed.
        Approvers are not listed either: an administrator binds them with kubectl.
      </p>
      {members.data && grantable.length === 0 && (
        <div className={css['above']}>
          <Note>
            You may not give roles. That needs the permission to create role bindings here, and the verb bind on a role.
          </Note>
        </div>
      )}
      {members.error && <ErrorNote error={members.error} onRetry={() => void members.refetch()} />}
      {members.isPending && <Loading lines={4} />}
      {members.data?.data.length === 0 && (
        <Empty icon="user" title="No members">
          <p>Nobody has one of the roles of Reelops in this account yet.</p>
        </Empty>
      )}
      {members.data && members.data.data.length > 0 && (
        <ul className={css['keys']}>
          {members.data.data.map((member) => (
            <MemberRow
              key={member.name}
              member={member}
              removable={members.data.can.remove}
              onRemove={() => {
                setRemoving(member);
              }}
            />
          ))}
        </ul>
      )}
      <details className={css['command']}>
        <summary>The same with kubectl</summary>
        <Command text={`kubectl get rolebindings -n ${quote(account)} -o wide`} />
      </details>
      <details className={css['command']}>
        <summary>Add an approver with kubectl</summary>
        <Command
          text={
            'kubectl create rolebinding NAME-approves --clusterrole reelops-approver --user NAME ' +
            `-n ${quote(account)}`
          }
        />
      </details>
      {adding && (
        <AddMember
          roles={grantable}
          onClose={() => {
            setAdding(false);
          }}
          onAdded={() => {
            setAdding(false);
            void reload();
            toast('The member is added');
          }}
        />
      )}
      {removing && (
        <Confirm
          title="Withdraw this role"
          action="Withdraw role"
          keep="Keep role"
          danger
          onConfirm={async () => {
            await removeMember(removing.name);
            await reload();
            toast('The role is withdrawn');
          }}
          onClose={() => {
            setRemoving(null);
          }}
        >
          <p>
            {roles[removing.role]?.label ?? removing.role}: <bdi>{removing.subjects.map((s) => s.name).join(', ')}</bdi>
          </p>
          <p>
            The role ends within seconds, also in open sessions. Roles by another binding or in the whole cluster stay.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly removable: boolean;
  readonly onRemove: () => void;
}

function MemberRow({ member, removable, onRemove }: MemberRowProps) {
  const { zone } = useWorkspace();
  return (
    <li className={css['key']}>
      <div className={css['keyText']}>
        {member.subjects.map((subject) => (
          <p key={`${subject.kind}/${subject.namespace ?? ''}/${subject.name}`} className={css['keyName']}>
            <bdi>{subject.name}</bdi>{' '}
            {subject.kind !== 'User' && (
              <span className={css['muted']}>
                {subject.kind === 'Group' ? 'Group' : `Service account in ${subject.namespace ?? ''}`}
              </span>
            )}
          </p>
        ))}
        {member.subjects.length === 0 && <p className={css['muted']}>Binding {member.name} without members</p>}
        <p className={css['muted']}>
          {roles[member.role]?.label ?? member.role} · since {date(member.created_at, zone)}
        </p>
      </div>
      {removable && (
        <Button small look="danger" onClick={onRemove}>
          Withdraw
        </Button>
      )}
    </li>
  );
}

interface AddMemberProps {
  readonly roles: readonly string[];
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

function AddMember({ roles: grantable, onClose, onAdded }: AddMemberProps) {
  const form = useId();
  const [kind, setKind] = useState<NewMember['kind']>('User');
  const [name, setName] = useState('');
  const [role, setRole] = useState(grantable[0] ?? '');
  const add = useMutation({
    mutationFn: () => addMember({ kind, name: name.trim(), role }),
    onSuccess: onAdded,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Dialog
      title="Add a member"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" form={form} busy={add.isPending} disabled={name.trim() === ''}>
            Add member
          </Button>
        </>
      }
    >
      <form id={form} className={css['form']} onSubmit={submit}>
        <div>
          <Segmented
            label="Kind"
            value={kind}
            choices={[
              { value: 'User', label: 'User' },
              { value: 'Group', label: 'Group' },
            ]}
            onChange={setKind}
          />
        </div>
        <TextField
          label="Name"
          hint={
            kind === 'User'
              ? 'The name that the cluster knows, such as an email address. The console shows it after sign-in.'
              : 'The name of the group, as the identity provider or the cluster reports it.'
          }
          required
          maxLength={253}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        <SelectField
          label="Role"
          hint={roles[role]?.hint}
          value={role}
          onChange={(event) => {
            setRole(event.target.value);
          }}
        >
          {grantable.map((r) => (
            <option key={r} value={r}>
              {roles[r]?.label ?? r}
            </option>
          ))}
        </SelectField>
        {add.error && <ErrorNote error={add.error} />}
      </form>
    </Dialog>
  );
}
