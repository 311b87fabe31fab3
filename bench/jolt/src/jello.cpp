// The jello cube as a soft body of Jolt: every edge of the tetrahedra a spring, every tetrahedron of constant volume.
#include "world.h"
#include <Jolt/Physics/SoftBody/SoftBodyCreationSettings.h>
#include <Jolt/Physics/SoftBody/SoftBodyMotionProperties.h>
#include <Jolt/Physics/SoftBody/SoftBodySharedSettings.h>
#include <array>
#include <set>
#include <utility>

using namespace JPH;

namespace {

constexpr float SIDE = 0.2f, DROP = 0.1f, YOUNG = 5e4f, DENSITY = 1000.0f;
constexpr int ITERATIONS = 5;
constexpr int EVEN[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}};
constexpr int ODD[5][4] = {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}};

using Node = std::array<int, 3>;

struct Jello : World {
    int n;
    BodyID cube;

    explicit Jello(int cells) : n(cells) {
        box(Vec3(2, 0.5f, 2), Vec3(0, -0.5f, 0), false);
        const float cell = SIDE / n;
        Ref<SoftBodySharedSettings> soft = new SoftBodySharedSettings;
        // Each cell gives an eighth of its mass to its corners.
        auto shared = [&](int i) { return i == 0 || i == n ? 1.0f : 2.0f; };
        for (int i = 0; i <= n; i++)
            for (int j = 0; j <= n; j++)
                for (int k = 0; k <= n; k++) {
                    const float mass = DENSITY * cell * cell * cell / 8 * shared(i) * shared(j) * shared(k);
                    const Float3 at(i * cell - SIDE / 2, j * cell - SIDE / 2, k * cell - SIDE / 2);
                    soft->mVertices.push_back({at, Float3(0, 0, 0), 1 / mass});
                }
        std::set<std::pair<uint32, uint32>> edges;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++)
                    for (auto &corners : (i + j + k) % 2 ? ODD : EVEN) {
                        std::array<Node, 4> tet;
                        for (int q = 0; q < 4; q++)
                            tet[q] = {i + (corners[q] & 1), j + (corners[q] >> 1 & 1), k + (corners[q] >> 2)};
                        add(*soft, tet, edges);
                    }
        // Springs of Young's modulus times their cross-section over their length, about.
        for (auto [a, b] : edges) soft->mEdgeConstraints.push_back({a, b, 1 / (YOUNG * cell)});
        soft->CalculateEdgeLengths();
        soft->CalculateVolumeConstraintVolumes();
        soft->Optimize();
        SoftBodyCreationSettings body(soft, RVec3(0, DROP + SIDE / 2, 0), Quat::sIdentity(), 1);
        body.mNumIterations = ITERATIONS;
        body.mLinearDamping = 0;
        body.mFriction = 0.5f;
        body.mAllowSleeping = false;
        cube = system.GetBodyInterface().CreateAndAddSoftBody(body, EActivation::Activate);
    }

    uint32 index(const Node &p) const { return (p[0] * (n + 1) + p[1]) * (n + 1) + p[2]; }

    void add(SoftBodySharedSettings &soft, std::array<Node, 4> &t, std::set<std::pair<uint32, uint32>> &edges) {
        auto at = [&](int q) { return Vec3(static_cast<float>(t[q][0]), t[q][1], t[q][2]); };
        if ((at(1) - at(0)).Cross(at(2) - at(0)).Dot(at(3) - at(0)) < 0) std::swap(t[1], t[2]);
        soft.mVolumeConstraints.push_back({index(t[0]), index(t[1]), index(t[2]), index(t[3]), 0.0f});
        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 4; q++)
                if (index(t[p]) < index(t[q])) edges.insert({index(t[p]), index(t[q])});
        constexpr int FACES[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
        for (auto &f : FACES)
            for (int d = 0; d < 3; d++) {
                const int level = t[f[0]][d];
                if ((level == 0 || level == n) && t[f[1]][d] == level && t[f[2]][d] == level)
                    soft.AddFace({index(t[f[0]]), index(t[f[1]]), index(t[f[2]])});
            }
    }
};

}  // namespace

extern "C" Jello *jello_new(int cells) { return new Jello(cells); }

extern "C" void jello_step(Jello *jello, double seconds) { jello->step(seconds); }

// Height of the centre, and of the cube from its bottom face to its top.
extern "C" void jello_look(const Jello *jello, double *centre, double *height) {
    BodyLockRead lock(jello->system.GetBodyLockInterface(), jello->cube);
    const Body &body = lock.GetBody();
    const auto &vertices = static_cast<const SoftBodyMotionProperties *>(body.GetMotionProperties())->GetVertices();
    const int n = jello->n;
    *centre = body.GetCenterOfMassPosition().GetY();
    *height = 0;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++)
            for (int k = 0; k <= n; k++) {
                const double y = vertices[jello->index({i, j, k})].mPosition.GetY();
                *centre += y / vertices.size();
                *height += (j == n ? y : j == 0 ? -y : 0) / ((n + 1) * (n + 1));
            }
}
